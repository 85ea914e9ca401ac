package io.weir.cli;

import io.weir.cli.node.AdminClient;
import io.weir.cli.top.TopOutput;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shows the live numbers of a node. */
@Command(
    name = "top",
    description =
        "Shows what a running node does: rates over time, rules, and the callers that are refused"
            + " most or are nearest to their limits. Where there is no terminal, a line each"
            + " second.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    showDefaultValues = true,
    sortOptions = false,
    footer = {
      "",
      "Keys: q quit, s sort, up and down choose a rule, r shows only that rule, esc all again, left"
          + " and right the range of the chart: 5 minutes, an hour, a day. Tab goes to the callers:"
          + " x resets the chosen one, g grants it permits, after a question.",
      "",
      "Examples:",
      "  weir top                                       # the node on this machine",
      "  weir top --rule client                         # one rule and its callers",
      "  weir top --once --json | jq '.keys.refused'  # for programs",
      "  weir top --admin http://10.0.0.7:8082          # another node",
      "",
      AdminOption.ABOUT_TOKENS,
      "The ids of callers are for weir keys.",
      "",
      "Exit codes: 0 good, 2 wrong use or no such rule, 3 the node does not answer or wants another"
          + " token. Once it has answered, it is waited for."
    })
final class TopCommand implements Callable<Integer> {
  private static final int COULD_NOT_START = 3;

  @Spec private CommandSpec spec;

  @Mixin private final AdminOption admin = new AdminOption();

  @Option(names = "--rule", paramLabel = "NAME", description = "Only this rule and its callers.")
  private @Nullable String rule;

  @Option(names = "--once", description = "Prints the numbers once, and ends.")
  private boolean once;

  @Option(names = "--json", description = "With --once: as a JSON object.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    if (json && !once) {
      throw new ParameterException(spec.commandLine(), "--json goes with --once");
    }
    TopOutput topOutput = new TopOutput(admin.node(spec.commandLine()), rule);
    try {
      if (json) {
        topOutput.onceAsJson(spec.commandLine().getOut());
      } else if (once) {
        topOutput.once(spec.commandLine().getOut());
      } else if (!topOutput.draw()) {
        topOutput.lines(spec.commandLine().getOut());
      }
      return 0;
    } catch (AdminClient.BadRequestException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage());
    } catch (AdminClient.NodeUnavailableException e) {
      spec.commandLine().getErr().println("weir top: " + e.getMessage());
      return COULD_NOT_START;
    }
  }
}
