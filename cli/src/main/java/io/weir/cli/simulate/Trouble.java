package io.weir.cli.simulate;

import io.weir.rules.replay.Fault;
import io.weir.rules.replay.Faults;
import io.weir.rules.replay.Summary;
import java.util.ArrayList;
import java.util.List;

/**
 * A problem in a trace.
 *
 * @param sentence what is wrong
 * @param examples the places of the first few; often none
 */
record Trouble(String sentence, List<String> examples) {
  private Trouble(String sentence) {
    this(sentence, List.of());
  }

  static List<Trouble> of(Summary summary, Wording wording) {
    List<Trouble> trouble = new ArrayList<>();
    if (summary.uncovered() > 0) {
      trouble.add(
          new Trouble(
              "no enforced rule applies to %s (%s): allowed"
                  .formatted(
                      wording.count(summary.uncovered(), "request"),
                      wording.percent(Wording.share(summary.uncovered(), summary.requests())))));
    }
    if (summary.outOfOrder() > 0) {
      trouble.add(
          new Trouble(
              wording.count(summary.outOfOrder(), "request")
                  + (summary.outOfOrder() == 1 ? " is" : " are")
                  + " out of order: earlier than one before; within one key that never grants"
                  + " more"));
    }
    summary.cut().ifPresent(cut -> trouble.add(new Trouble(cut)));
    long bad = summary.badRequests().count();
    if (bad > 0) {
      trouble.add(
          new Trouble(
              wording.count(bad, "request") + " would get 400:",
              examples(summary.badRequests(), wording)));
    }
    long malformed = summary.malformed().count();
    if (malformed > 0) {
      trouble.add(
          new Trouble(
              wording.count(malformed, "line")
                  + (malformed == 1 ? " is no request:" : " are no requests:"),
              examples(summary.malformed(), wording)));
    }
    return trouble;
  }

  private static List<String> examples(Faults faults, Wording wording) {
    List<String> examples = new ArrayList<>();
    faults.first().stream().map(Fault::toString).forEach(examples::add);
    long others = faults.count() - faults.first().size();
    if (others > 0) {
      examples.add("and " + wording.count(others) + " more");
    }
    return examples;
  }
}
