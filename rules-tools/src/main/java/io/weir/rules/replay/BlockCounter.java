package io.weir.rules.replay;

import io.weir.rules.RequestDecision;
import io.weir.rules.RuleSet;
import io.weir.rules.replay.count.FlipCounter;
import io.weir.rules.replay.count.SummaryBuilder;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Counts the decisions on blocks, by one rule set or by two for comparison. */
final class BlockCounter {
  private final SummaryBuilder summaryBuilder;
  private final @Nullable SummaryBuilder otherTally;
  private final FlipCounter newlyRefused;
  private final FlipCounter newlyAllowed;

  BlockCounter(RuleSet rules, @Nullable RuleSet other) {
    this.summaryBuilder = new SummaryBuilder(rules);
    this.otherTally = other == null ? null : new SummaryBuilder(other);
    this.newlyRefused = new FlipCounter(summaryBuilder.timeSpans());
    this.newlyAllowed = new FlipCounter(summaryBuilder.timeSpans());
  }

  /**
   * The decisions on the rows of a block; null where a front end would respond with 400.
   *
   * @param others by the other rules; empty if there are none
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Decided(
      Block block,
      @Nullable RequestDecision[] requestDecisions,
      @Nullable RequestDecision[] others) {}

  void count(Decided decided) {
    Block block = decided.block();
    for (int i = 0; i < block.rows(); i++) {
      RequestDecision requestDecision = decided.requestDecisions()[i];
      if (requestDecision != null) {
        summaryBuilder.add(block.millis(i), requestDecision);
      }
      if (otherTally != null) {
        RequestDecision other = decided.others()[i];
        if (other != null) {
          otherTally.add(block.millis(i), other);
        }
        if (requestDecision != null
            && other != null
            && requestDecision.allowed() != other.allowed()) {
          if (requestDecision.allowed()) {
            newlyRefused.add(block.row(i), other);
          } else {
            newlyAllowed.add(block.row(i), requestDecision);
          }
        }
      }
    }
  }

  /**
   * The summary of all counts.
   *
   * @param trace at its end
   * @param bad the requests for which a front end would respond with 400
   * @param badByOther the same by the other rules; null if there are none
   */
  Summary summary(Trace trace, BadLines bad, @Nullable BadLines badByOther) {
    BadLines malformed = trace.badLines();
    Optional<String> cut = trace.cut();
    Optional<Comparison> comparison =
        otherTally == null || badByOther == null
            ? Optional.empty()
            : Optional.of(
                new Comparison(
                    otherTally.summary(malformed, badByOther, cut, Optional.empty()),
                    newlyRefused.flips(),
                    newlyAllowed.flips()));
    return summaryBuilder.summary(malformed, bad, cut, comparison);
  }
}
