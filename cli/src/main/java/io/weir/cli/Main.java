package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.cli.serve.Arguments;
import io.weir.server.Build;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code weir} command. */
@Command(
    name = "weir",
    description = "An exact rate limiter: gateway, service and tools.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ServeCommand.class,
      CheckCommand.class,
      ExplainCommand.class,
      SimulateCommand.class,
      TestCommand.class,
      TopCommand.class,
      KeysCommand.class,
      DemoCommand.class
    },
    footer = {
      "",
      "Every option has an environment variable: --requests is WEIR_REQUESTS.",
      "Exit codes: 0 good, 1 the answer is no, 2 wrong use, 3 could not start."
    })
public final class Main implements Runnable {
  @Spec private CommandSpec spec;

  Main() {}

  /** Runs the command and ends the process with its exit code. */
  public static void main(String[] args) {
    PrintWriter out = StandardOutput.over(new FileOutputStream(FileDescriptor.out));
    PrintWriter err = new PrintWriter(System.err, true, UTF_8);
    int code = run(out, err, System.getenv(), args);
    out.flush();
    System.exit(code);
  }

  /** Runs the command; returns the exit code. */
  static int run(
      PrintWriter out, PrintWriter err, Map<String, String> environment, String... args) {
    if (args.length > 0 && args[0].equals("serve")) {
      Optional<Arguments> plain = Arguments.plain(List.of(args).subList(1, args.length));
      if (plain.isPresent()) {
        return serve(new ServerLifecycle(out, err), plain.get(), environment, err);
      }
    }
    CommandLine command =
        new CommandLine(new Main())
            .setOut(out)
            .setErr(err)
            .setDefaultValueProvider(new EnvironmentDefaults(environment))
            .setParameterExceptionHandler(Errors::wrongUse)
            .setExecutionExceptionHandler(Errors::failed);
    try {
      return command.execute(args);
    } catch (OutOfMemoryError | StackOverflowError e) {
      return Errors.tooLarge(e, command);
    }
  }

  /** Runs {@code serve} like {@link CommandLine}, with errors in one line. */
  private static int serve(
      ServerLifecycle serverLifecycle,
      Arguments arguments,
      Map<String, String> environment,
      PrintWriter err) {
    try {
      return serverLifecycle.run(arguments, environment);
    } catch (RuntimeException e) {
      return Errors.failed(e, "weir serve", err);
    } catch (OutOfMemoryError | StackOverflowError e) {
      return Errors.tooLarge(e, "weir serve", err);
    }
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing; see weir --help");
  }

  /** The version recorded by the build. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"weir " + Build.version()};
    }
  }
}
