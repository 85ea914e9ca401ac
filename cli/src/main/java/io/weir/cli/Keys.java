package io.weir.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Looks at what one caller has left on a running node, and changes it. */
@Command(
    name = "keys",
    description = "How one caller stands with one rule on a running node, and changes of that.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    synopsisSubcommandLabel = "get|reset|grant",
    subcommands = {Keys.Get.class, Keys.Reset.class, Keys.Grant.class},
    footer = {
      "",
      "Examples:",
      "  weir keys get --rule client user=42",
      "  weir keys grant --rule client user=42 --permits 100",
      "  weir keys reset --rule client --id 5b1e0c9d8a7f6e21"
    })
final class Keys implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "get, reset or grant is missing; see weir keys --help");
  }

  /** A look. */
  @Command(
      name = "get",
      description = "What the next request would be told. Spends nothing.",
      mixinStandardHelpOptions = true,
      showDefaultValues = true,
      sortOptions = false)
  static final class Get extends KeyCommand {
    @Override
    String method() {
      return "GET";
    }

    @Override
    String path() {
      return "/v1/keys";
    }
  }

  /** As good as new. */
  @Command(
      name = "reset",
      description = "Makes the caller as good as new.",
      mixinStandardHelpOptions = true,
      showDefaultValues = true,
      sortOptions = false)
  static final class Reset extends KeyCommand {
    @Override
    String method() {
      return "DELETE";
    }

    @Override
    String path() {
      return "/v1/keys";
    }
  }

  /** Permits back. */
  @Command(
      name = "grant",
      description = "Gives permits back to the caller; what is full stays full.",
      mixinStandardHelpOptions = true,
      showDefaultValues = true,
      sortOptions = false)
  static final class Grant extends KeyCommand {
    @Option(names = "--permits", required = true, paramLabel = "N", description = "How many.")
    private long permits;

    @Override
    String method() {
      return "POST";
    }

    @Override
    String path() {
      return "/v1/keys/grant";
    }

    @Override
    String more() {
      return "&permits=" + permits;
    }
  }
}
