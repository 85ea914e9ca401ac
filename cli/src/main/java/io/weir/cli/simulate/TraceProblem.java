package io.weir.cli.simulate;

import io.weir.rules.replay.BadLine;
import io.weir.rules.replay.BadLines;
import io.weir.rules.replay.Summary;
import java.util.ArrayList;
import java.util.List;

/**
 * A problem in a trace.
 *
 * @param sentence what is wrong
 * @param examples the places of the first few; often none
 */
record TraceProblem(String sentence, List<String> examples) {
  private TraceProblem(String sentence) {
    this(sentence, List.of());
  }

  static List<TraceProblem> of(Summary summary, HumanFormat humanFormat) {
    List<TraceProblem> traceProblem = new ArrayList<>();
    if (summary.uncovered() > 0) {
      traceProblem.add(
          new TraceProblem(
              "no enforced rule applies to %s (%s): allowed"
                  .formatted(
                      humanFormat.count(summary.uncovered(), "request"),
                      humanFormat.percent(
                          HumanFormat.share(summary.uncovered(), summary.requests())))));
    }
    if (summary.outOfOrder() > 0) {
      traceProblem.add(
          new TraceProblem(
              humanFormat.count(summary.outOfOrder(), "request")
                  + (summary.outOfOrder() == 1 ? " is" : " are")
                  + " out of order: earlier than one before; within one key that never grants"
                  + " more"));
    }
    summary.cut().ifPresent(cut -> traceProblem.add(new TraceProblem(cut)));
    long bad = summary.badRequests().count();
    if (bad > 0) {
      traceProblem.add(
          new TraceProblem(
              humanFormat.count(bad, "request") + " would get 400:",
              examples(summary.badRequests(), humanFormat)));
    }
    long malformed = summary.malformed().count();
    if (malformed > 0) {
      traceProblem.add(
          new TraceProblem(
              humanFormat.count(malformed, "line")
                  + (malformed == 1 ? " is no request:" : " are no requests:"),
              examples(summary.malformed(), humanFormat)));
    }
    return traceProblem;
  }

  private static List<String> examples(BadLines badLines, HumanFormat humanFormat) {
    List<String> examples = new ArrayList<>();
    badLines.first().stream().map(BadLine::toString).forEach(examples::add);
    long others = badLines.count() - badLines.first().size();
    if (others > 0) {
      examples.add("and " + humanFormat.count(others) + " more");
    }
    return examples;
  }
}
