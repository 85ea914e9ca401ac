package io.weir.cli;

import io.weir.cli.serve.Arguments;
import io.weir.cli.serve.Setting;
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

/** Starts the server, and shuts it down gracefully. */
@Command(
    name = "serve",
    description =
        "Limits requests: a gateway before your API, and a service for Envoy, nginx and any back"
            + " end. Without options: a demonstration on loopback.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    abbreviateSynopsis = true,
    modelTransformer = ServeCommand.OptionTable.class,
    footer = {
      "",
      "A flag overrides its variable (--admin-port is WEIR_ADMIN_PORT), which overrides the key",
      "in the file (admin_port). Tokens are better in files (--admin-token-file): flags can be seen by",
      "others on the machine. SIGTERM and SIGINT end it once requests under way are answered.",
      "SIGHUP reloads rules, certificates and the settings that can change while it runs.",
      "",
      "Examples:",
      "  weir serve",
      "  weir serve --rules rules.yaml --upstream http://127.0.0.1:9000",
      "  weir serve --config weir.yaml --store redis://localhost:6379"
    })
final class ServeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Settings in YAML; see deploy/weir.yaml. None is read unless it is named.")
  private @Nullable Path config;

  @Override
  public Integer call() {
    ServerLifecycle serverLifecycle =
        new ServerLifecycle(spec.commandLine().getOut(), spec.commandLine().getErr());
    return serverLifecycle.run(arguments(), environment());
  }

  /** The arguments from the command line. */
  Arguments arguments() {
    return new Arguments(flags(), config);
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
    return spec.defaultValueProvider() instanceof EnvironmentDefaults twin
        ? twin.environment()
        : Map.of();
  }

  /** Makes an option of every setting. */
  static final class OptionTable implements IModelTransformer {
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
              .description(
                  literally(setting.description()), literally("Default: " + setting.fallback()));
      return (isSwitch ? option.fallbackValue("true") : option).build();
    }

    /** Escapes a text, because Picocli treats descriptions as format strings. */
    private static String literally(String text) {
      return text.replace("%", "%%");
    }
  }
}
