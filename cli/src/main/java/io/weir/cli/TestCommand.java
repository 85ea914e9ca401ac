package io.weir.cli;

import io.weir.rules.Problem;
import io.weir.rules.cases.Case;
import io.weir.rules.cases.CaseFiles;
import io.weir.rules.cases.CaseRun;
import io.weir.rules.file.InvalidRulesException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs tests of rules. */
@Command(
    name = "test",
    description = "Runs tests of rules in virtual time. Exits with 1 if one of them fails.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    footer = {
      "",
      "A file of cases:",
      "  rules: shop.yaml       # beside this file; or given: with rules written here",
      "  cases:",
      "    - name: the sixth login within a minute is refused",
      "      request: POST /api/v1/login",
      "      from: 203.0.113.7",
      "      requests:",
      "        - { repeat: 5, every: 1s, expect: allowed }",
      "        - { at: 5s, expect: refused, rule: login, retry_after: 55s }",
      "        - { at: 1m, expect: allowed }",
      "",
      "Each case starts with nothing spent, at midnight (start: another moment).",
      "A case, or each of its requests, has: request (method and path), from (an",
      "address), headers, attributes (by their names), cost. A request has besides:",
      "  at            time since the start, +10s after the last request, or a moment",
      "  repeat, every the same request several times; one unless said otherwise",
      "  expect        allowed, refused, malformed, or how many:",
      "                {allowed: 5, refused: 1}",
      "  rule, key     which rule decides (~: none), and under which key",
      "  remaining, retry_after, delay",
      "                of the last of the repeated requests; retry_after may be never",
      "",
      "Example:",
      "  weir test examples/shop.test.yaml"
    })
final class TestCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(arity = "1..*", paramLabel = "CASES", description = "Files of cases.")
  private List<Path> files;

  @Override
  public Integer call() {
    files.forEach(file -> RulesLoader.requireFile(file, spec.commandLine()));
    PrintWriter out = spec.commandLine().getOut();
    int passed = 0;
    int failed = 0;
    for (Map.Entry<Path, List<Case>> file : load().entrySet()) {
      out.println(file.getKey());
      for (Case test : file.getValue()) {
        CaseRun run = CaseRun.of(test);
        print(run, out);
        passed += run.passed() ? 1 : 0;
        failed += run.passed() ? 0 : 1;
      }
    }
    out.println();
    out.println(
        AnsiStyle.GREEN.on(passed + " passed")
            + ", "
            + (failed == 0 ? "0 failed" : AnsiStyle.RED.on(failed + " failed")));
    return failed == 0 ? 0 : 1;
  }

  /** The cases of all files, or all errors in them. */
  private Map<Path, List<Case>> load() {
    Map<Path, List<Case>> cases = new LinkedHashMap<>();
    List<Problem> problems = new ArrayList<>();
    for (Path file : files) {
      try {
        cases.put(file, CaseFiles.load(file));
      } catch (InvalidRulesException e) {
        problems.addAll(e.problems());
      }
    }
    if (!problems.isEmpty()) {
      throw new InvalidRulesException(problems.stream().distinct().toList());
    }
    return cases;
  }

  private static void print(CaseRun run, PrintWriter out) {
    out.println(
        (run.passed() ? AnsiStyle.GREEN.on("  ✓ ") : AnsiStyle.RED.on("  ✗ ")) + run.of().name());
    for (CaseRun.Failure failure : run.failures()) {
      out.println("      " + failure.sourceLocation() + ": " + failure.message());
    }
  }
}
