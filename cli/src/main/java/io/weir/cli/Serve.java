package io.weir.cli;

import io.weir.cli.serve.Setting;
import io.weir.cli.serve.SettingsReader;
import io.weir.rules.file.InvalidRulesException;
import io.weir.rules.lint.Lint;
import io.weir.server.CouldNotStartException;
import io.weir.server.Server;
import io.weir.server.Settings;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Starts the server, and ends it in an orderly way. */
@Command(
    name = "serve",
    description =
        "Limits requests: a gateway before your API, and a service that Envoy, nginx and any back"
            + " end can ask. Without options: a demonstration on loopback.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    modelTransformer = Serve.Table.class,
    footer = {
      "",
      "A flag beats its variable (--admin-port is WEIR_ADMIN_PORT), which beats the key in the",
      "file (admin_port). Tokens are better in the environment or the file: flags can be seen by",
      "others on the machine. SIGTERM and SIGINT end it once requests under way are answered.",
      "",
      "Examples:",
      "  weir serve",
      "  weir serve --rules rules.yaml --upstream http://127.0.0.1:9000",
      "  weir serve --config weir.yaml --store redis://localhost:6379"
    })
final class Serve implements Callable<Integer> {
  private static final int WRONG_USE = 2;
  private static final int COULD_NOT_START = 3;

  @Spec private CommandSpec spec;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Settings in YAML; see deploy/weir.yaml. None is read unless it is named.")
  private @Nullable Path config;

  @Override
  public Integer call() throws InterruptedException {
    if (config != null) {
      GivenRules.requireFile(config, spec.commandLine());
    }
    SettingsReader.Result read = SettingsReader.read(flags(), environment(), config);
    read.problems().forEach(this::say);
    GivenRules.tell(read.inFile(), spec.commandLine().getErr());
    return read.settings().isPresent() ? serve(read.settings().get()) : WRONG_USE;
  }

  private int serve(Settings settings) throws InterruptedException {
    if (settings.admin().token().isEmpty() && !isLoopback(settings.admin().bind())) {
      say(
          "the admin port would listen on %s without a token; set WEIR_ADMIN_TOKEN or admin_token, or leave --admin-bind out"
              .formatted(settings.admin().bind()));
      return COULD_NOT_START;
    }
    LogLines.oneEach();
    try (Server server = Server.start(settings)) {
      Signals signals = Signals.catchAll();
      PrintWriter err = spec.commandLine().getErr();
      GivenRules.tell(Lint.of(server.rules()), err);
      new Banner(settings, server).print(spec.commandLine().getOut());
      String signal = signals.await();
      say(
          signal
              + ": finishing what is under way, for "
              + settings.drain().toSeconds()
              + " s at most");
      LogLines.lastOnes();
      server.drain();
      return 0;
    } catch (InvalidRulesException e) {
      GivenRules.tell(e.problems(), spec.commandLine().getErr());
      return COULD_NOT_START;
    } catch (CouldNotStartException e) {
      say(String.valueOf(e.getMessage()));
      return COULD_NOT_START;
    }
  }

  private void say(String line) {
    spec.commandLine().getErr().println(spec.qualifiedName() + ": " + line);
  }

  private static boolean isLoopback(String address) {
    try {
      return InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private Map<Setting, List<String>> flags() {
    Map<Setting, List<String>> flags = new EnumMap<>(Setting.class);
    for (Setting setting : Setting.values()) {
      OptionSpec given = spec.commandLine().getParseResult().matchedOption(setting.flag());
      if (given != null) {
        flags.put(setting, List.copyOf(given.stringValues()));
      }
    }
    return flags;
  }

  private Map<String, String> environment() {
    return spec.defaultValueProvider() instanceof EnvironmentTwin twin
        ? twin.environment()
        : Map.of();
  }

  /** Makes an option of every setting. */
  static final class Table implements IModelTransformer {
    @Override
    public CommandSpec transform(CommandSpec command) {
      for (Setting setting : Setting.values()) {
        command.addOption(option(setting));
      }
      return command;
    }

    private static OptionSpec option(Setting setting) {
      boolean isSwitch = setting.kind() == Setting.Kind.SWITCH;
      OptionSpec.Builder option =
          OptionSpec.builder(setting.flag())
              .paramLabel(setting.label())
              .type(setting.kind() == Setting.Kind.LIST ? List.class : String.class)
              .auxiliaryTypes(String.class)
              .arity(isSwitch ? "0..1" : "1")
              .description(setting.description(), "Default: " + setting.fallback());
      return (isSwitch ? option.fallbackValue("true") : option).build();
    }
  }
}
