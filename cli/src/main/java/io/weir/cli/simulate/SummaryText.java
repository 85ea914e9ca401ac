package io.weir.cli.simulate;

import io.weir.rules.Policy;
import io.weir.rules.replay.Comparison;
import io.weir.rules.replay.Flips;
import io.weir.rules.replay.KeyCount;
import io.weir.rules.replay.ReplayOutcome;
import io.weir.rules.replay.RuleSummary;
import io.weir.rules.replay.Summary;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The summary of a replay for a terminal. */
public final class SummaryText {
  private static final HumanFormat WORDS = HumanFormat.TERMINAL;
  private static final int MAX_ROWS = 100;
  private static final int MAX_NAMED = 20;
  private static final int MAX_CALLERS = 5;
  private static final int KEY_WIDTH = 40;

  private final Summary summary;
  private final PrintWriter out;
  private final RuleLabels names;

  /** A summary for {@code out}. */
  public SummaryText(Summary summary, PrintWriter out) {
    this.summary = summary;
    this.out = out;
    this.names = new RuleLabels(summary.rules());
  }

  /** Prints the decisions of the rules on {@code trace}; the replay took {@code taken}. */
  public void print(String trace, Duration taken) {
    out.println(headline(trace));
    out.println();
    printRules();
    printFindings();
    printTrouble();
    summary.comparison().ifPresent(this::printComparison);
    out.println();
    out.println(speed(taken));
  }

  private String headline(String trace) {
    String requests = trace + ": " + WORDS.count(summary.requests(), "request");
    if (summary.first().isEmpty() || summary.last().isEmpty()) {
      return requests;
    }
    Instant first = summary.first().get();
    Instant last = summary.last().get();
    return "%s from %s to %s UTC (%s)"
        .formatted(
            requests,
            WORDS.moment(first),
            WORDS.moment(last),
            WORDS.length(Duration.between(first, last)));
  }

  private void printRules() {
    List<RuleSummary> shown = shown();
    AlignedTable table =
        new AlignedTable(
            "rule", "requests", "refused", "share", "callers", "callers refused", "peak use", "");
    for (RuleSummary rule : shown) {
      if (rule.neverFired()) {
        table.add(
            names.of(rule), "0", "-", "-", "-", "-", "-", isOff(rule) ? "off" : "never matched");
        continue;
      }
      table.add(
          names.of(rule),
          WORDS.count(rule.requests()),
          WORDS.count(rule.refused()),
          WORDS.percent(rule.refusedShare()),
          WORDS.count(rule.keys()),
          WORDS.count(rule.keysRefused()),
          WORDS.percent(rule.peakUse()),
          rule.isShadow() ? "shadow: would be refused" : "");
    }
    table.line();
    table.add(
        "all",
        WORDS.count(summary.requests()),
        WORDS.count(summary.refused()),
        WORDS.percent(HumanFormat.share(summary.refused(), summary.requests())),
        "",
        "",
        "",
        others());
    table.print(out);
    if (shown.size() < summary.rules().size()) {
      out.println(
          "(the %s rules with the most refusals of %s; --report has the others too)"
              .formatted(WORDS.count(shown.size()), WORDS.count(summary.rules().size())));
    }
  }

  private List<RuleSummary> shown() {
    if (summary.rules().size() <= MAX_ROWS) {
      return summary.rules();
    }
    return summary.rules().stream()
        .sorted(HtmlReport.BY_REFUSALS_DESCENDING)
        .limit(MAX_ROWS)
        .toList();
  }

  private String others() {
    List<String> others = new ArrayList<>();
    if (summary.count(ReplayOutcome.DELAYED) > 0) {
      others.add(WORDS.count(summary.count(ReplayOutcome.DELAYED)) + " delayed");
    }
    if (summary.count(ReplayOutcome.SHADOW_REFUSED) > 0) {
      others.add(
          WORDS.count(summary.count(ReplayOutcome.SHADOW_REFUSED))
              + " would be refused by shadow rules");
    }
    return String.join(", ", others);
  }

  private void printFindings() {
    List<RuleSummary> matched =
        summary.rules().stream()
            .filter(rule -> !rule.neverFired())
            .sorted(HtmlReport.BY_REFUSALS_DESCENDING)
            .limit(MAX_NAMED)
            .toList();
    if (!matched.isEmpty()) {
      out.println();
    }
    for (RuleSummary rule : matched) {
      out.println(names.of(rule) + " " + RuleFinding.about(rule, WORDS).text());
    }
    List<RuleSummary> idle =
        summary.rules().stream().filter(rule -> rule.neverFired() && !isOff(rule)).toList();
    if (!idle.isEmpty()) {
      out.println();
      out.println(
          "never matched: no request of this trace met "
              + idle.stream()
                  .limit(MAX_NAMED)
                  .map(rule -> names.of(rule) + " (" + rule.rule().sourceLocation() + ")")
                  .collect(Collectors.joining(", "))
              + (idle.size() > MAX_NAMED
                  ? " and " + WORDS.count(idle.size() - MAX_NAMED) + " more"
                  : ""));
    }
  }

  private static boolean isOff(RuleSummary rule) {
    return rule.rule().policy().mode() == Policy.Mode.OFF;
  }

  private void printTrouble() {
    List<TraceProblem> all = TraceProblem.of(summary, WORDS);
    if (!all.isEmpty()) {
      out.println();
    }
    for (TraceProblem traceProblem : all) {
      out.println(traceProblem.sentence());
      traceProblem.examples().forEach(example -> out.println("  " + HumanFormat.plain(example)));
    }
  }

  private void printComparison(Comparison comparison) {
    RuleLabels otherNames = new RuleLabels(comparison.other().rules());
    out.println();
    out.println(
        "With the rules of --compare: %s of %s refused instead of %s"
            .formatted(
                WORDS.count(comparison.other().refused()),
                WORDS.count(comparison.other().requests()),
                WORDS.count(summary.refused())));
    print("newly refused", comparison.newlyRefused(), otherNames);
    print("newly allowed", comparison.newlyAllowed(), names);
  }

  private void print(String title, Flips flips, RuleLabels refusing) {
    out.println();
    if (flips.requests() == 0) {
      out.println(title + ": none");
      return;
    }
    out.println(
        "%s: %s of %s, %s"
            .formatted(
                title,
                WORDS.count(flips.requests(), "request"),
                WORDS.count(flips.keys(), "caller"),
                flips.byRule().stream()
                    .limit(MAX_NAMED)
                    .map(each -> refusing.of(each.rule()) + " " + WORDS.count(each.count()))
                    .collect(Collectors.joining(", "))));
    AlignedTable callers = new AlignedTable("  rule", "requests", "caller");
    for (KeyCount key : flips.byKey().stream().limit(MAX_CALLERS).toList()) {
      callers.add(
          "  " + refusing.of(key.rule()),
          WORDS.count(key.count()),
          HumanFormat.shortened(key.key(), KEY_WIDTH));
    }
    callers.print(out);
    for (Flips.Example example : flips.examples().stream().limit(MAX_CALLERS).toList()) {
      out.println(
          "  line %d, %s: %s, key %s"
              .formatted(
                  example.request().line(),
                  WORDS.moment(Instant.ofEpochMilli(example.request().epochMillis())),
                  example.refusal().rule(),
                  HumanFormat.shortened(example.refusal().key(), KEY_WIDTH)));
    }
  }

  private String speed(Duration taken) {
    long lines = summary.requests() + summary.badRequests().count() + summary.malformed().count();
    double seconds = Math.max(0.001, taken.toNanos() / 1e9);
    return "replayed %s in %.1f s, %s/s"
        .formatted(WORDS.count(lines, "line"), seconds, WORDS.count(Math.round(lines / seconds)));
  }
}
