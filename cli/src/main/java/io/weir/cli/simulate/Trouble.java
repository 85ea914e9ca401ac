package io.weir.cli.simulate;

import io.weir.rules.replay.Summary;
import java.util.ArrayList;
import java.util.List;

/** What was not as it should be with a trace, a sentence each. */
final class Trouble {
  private Trouble() {}

  static List<String> of(Summary summary, Wording wording) {
    List<String> trouble = new ArrayList<>();
    if (summary.uncovered() > 0) {
      trouble.add(
          "no enforced rule applies to %s (%s): allowed"
              .formatted(
                  wording.count(summary.uncovered(), "request"),
                  wording.percent(Wording.share(summary.uncovered(), summary.requests()))));
    }
    if (summary.outOfOrder() > 0) {
      trouble.add(
          wording.count(summary.outOfOrder(), "request")
              + (summary.outOfOrder() == 1 ? " is" : " are")
              + " out of order: earlier than one before; within one key that never grants more");
    }
    summary.cut().ifPresent(trouble::add);
    long malformed = summary.malformed().count();
    if (malformed > 0) {
      trouble.add(
          wording.count(malformed, "line")
              + (malformed == 1 ? " is no request and was" : " are no requests and were")
              + " left out:");
    }
    return trouble;
  }
}
