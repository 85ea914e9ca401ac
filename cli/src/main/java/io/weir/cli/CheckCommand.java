package io.weir.cli;

import io.weir.rules.Problem;
import io.weir.rules.RuleSet;
import io.weir.rules.file.Reading;
import io.weir.rules.file.RuleFiles;
import io.weir.rules.lint.Lint;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Reports all errors in rule files, and warnings. */
@Command(
    name = "check",
    description = "Checks rule files: all errors in one go, and warnings. Exits with 1 on errors.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    footer = {
      "",
      "Files that are given together are checked together, as one set of rules.",
      "",
      "Examples:",
      "  weir check rules.yaml",
      "  weir check /etc/weir/rules.d && echo good"
    })
final class CheckCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      arity = "1..*",
      paramLabel = "RULES",
      description = "Rule files, or directories of them.")
  private List<Path> paths;

  @Override
  public Integer call() {
    paths.forEach(path -> RulesLoader.requireReadable(path, spec.commandLine()));
    Reading reading = RuleFiles.read(paths);
    List<Problem> warnings = reading.rules().map(Lint::of).orElse(List.of());
    RulesLoader.print(reading.problems(), spec.commandLine().getErr());
    RulesLoader.print(warnings, spec.commandLine().getErr());
    spec.commandLine().getOut().println(summary(reading, warnings));
    return reading.rules().isPresent() ? 0 : 1;
  }

  private static String summary(Reading reading, List<Problem> warnings) {
    String read = count(reading.files().size(), "file");
    if (reading.rules().isEmpty()) {
      return read + ": " + AnsiStyle.RED.on(count(reading.problems().size(), "error"));
    }
    RuleSet rules = reading.rules().get();
    return read
        + (", " + count(limited(rules), "rule"))
        + (", " + count(rules.domains().size(), "domain"))
        + ": "
        + AnsiStyle.GREEN.on("no errors")
        + (warnings.isEmpty()
            ? ", no warnings"
            : ", " + AnsiStyle.YELLOW.on(count(warnings.size(), "warning")));
  }

  /** The number of rules, and of Envoy descriptors that have limits. */
  private static int limited(RuleSet rules) {
    return rules.domains().stream().mapToInt(each -> each.allRules().size()).sum();
  }

  private static String count(int number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }
}
