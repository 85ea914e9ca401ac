package io.weir.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shows the limit status of one caller on a running node, and changes it. */
@Command(
    name = "keys",
    description =
        "Shows or changes the limit status of one caller under one rule on a running node.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    synopsisSubcommandLabel = "get|reset|grant",
    subcommands = {KeysCommand.Get.class, KeysCommand.Reset.class, KeysCommand.Grant.class},
    footer = {
      "",
      "Examples:",
      "  weir keys get --rule client user=42",
      "  weir keys grant --rule client user=42 --permits 100",
      "  weir keys reset --rule client --id 5b1e0c9d8a7f6e21",
      "  weir keys get --rule client user=42 --admin http://10.0.0.7:8082",
      "",
      AdminOption.ABOUT_TOKENS,
      AbstractKeyCommand.IDS,
      "",
      AbstractKeyCommand.EXIT_CODES
    })
final class KeysCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "get, reset or grant is missing; see weir keys --help");
  }

  /** Shows the status. */
  @Command(
      name = "get",
      description =
          "The limit status of one caller under one rule: its next decision, and what is left"
              + " of each limit. Spends nothing.",
      mixinStandardHelpOptions = true,
      showDefaultValues = true,
      sortOptions = false,
      footer = {
        "",
        "Examples:",
        "  weir keys get --rule client user=42",
        "  weir keys get --rule client --id 5b1e0c9d8a7f6e21 --json",
        "  weir keys get --rule everything            # one bucket for all: no attributes",
        "",
        AdminOption.ABOUT_TOKENS,
        AbstractKeyCommand.IDS,
        "",
        AbstractKeyCommand.EXIT_CODES
      })
  static final class Get extends AbstractKeyCommand {
    @Override
    String method() {
      return "GET";
    }

    @Override
    String path() {
      return "/v1/keys";
    }
  }

  /** Resets the key to full. */
  @Command(
      name = "reset",
      description =
          "Resets one caller to full: nothing spent, nothing owed. The node writes it to its audit"
              + " log.",
      mixinStandardHelpOptions = true,
      showDefaultValues = true,
      sortOptions = false,
      footer = {
        "",
        "Examples:",
        "  weir keys reset --rule client user=42",
        "  weir keys reset --rule login ip=192.0.2.7 user=42   # a rule that is per ip and user",
        "",
        AdminOption.ABOUT_TOKENS,
        AbstractKeyCommand.IDS,
        "",
        AbstractKeyCommand.EXIT_CODES
      })
  static final class Reset extends AbstractKeyCommand {
    @Override
    String method() {
      return "DELETE";
    }

    @Override
    String path() {
      return "/v1/keys";
    }
  }

  /** Gives permits back. */
  @Command(
      name = "grant",
      description =
          "Gives permits back to one caller, up to a full bucket. The node writes it to its audit"
              + " log.",
      mixinStandardHelpOptions = true,
      showDefaultValues = true,
      sortOptions = false,
      footer = {
        "",
        "Examples:",
        "  weir keys grant --rule client user=42 --permits 100",
        "  weir keys grant --rule client --id 5b1e0c9d8a7f6e21 --permits 5",
        "",
        AdminOption.ABOUT_TOKENS,
        AbstractKeyCommand.IDS,
        "",
        AbstractKeyCommand.EXIT_CODES
      })
  static final class Grant extends AbstractKeyCommand {
    @Option(
        names = "--permits",
        required = true,
        paramLabel = "N",
        showDefaultValue = CommandLine.Help.Visibility.NEVER,
        description = "How many.")
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
