package io.weir.cli;

import io.weir.cli.node.Node;
import io.weir.cli.top.Watching;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shows a node at work. */
@Command(
    name = "top",
    description =
        "Shows what a running server does: rates over time, rules, and the callers that are refused"
            + " most or are near their limits. A line each second where there is no terminal.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Keys: q quit, s sort, up and down choose a rule, r show only that rule, left and right the",
      "range."
    })
final class Top implements Callable<Integer> {
  private static final int COULD_NOT_START = 3;

  @Spec private CommandSpec spec;

  @Mixin private final AdminOption admin = new AdminOption();

  @Option(names = "--rule", paramLabel = "NAME", description = "Only this rule over time.")
  private @Nullable String rule;

  @Option(names = "--once", description = "Says once what there is, and ends.")
  private boolean once;

  @Option(names = "--json", description = "With --once: as the admin port says it.")
  private boolean json;

  @Override
  public Integer call() throws InterruptedException {
    if (json && !once) {
      throw new ParameterException(spec.commandLine(), "--json goes with --once");
    }
    Watching watching = new Watching(admin.node(spec.commandLine()), rule);
    try {
      if (json) {
        watching.onceAsJson(spec.commandLine().getOut());
      } else if (once) {
        watching.once(spec.commandLine().getOut());
      } else if (!watching.draw()) {
        watching.lines(spec.commandLine().getOut());
      }
      return 0;
    } catch (Node.MistakenException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage());
    } catch (Node.UnansweredException e) {
      spec.commandLine().getErr().println("weir top: " + e.getMessage());
      return COULD_NOT_START;
    }
  }
}
