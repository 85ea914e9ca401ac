package io.weir.rules.replay;

import io.weir.rules.RuleSet;
import io.weir.rules.Ruling;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Counts the decisions on blocks, by one rule set or by two for comparison. */
final class Clerk {
  private final Tally tally;
  private final @Nullable Tally otherTally;
  private final FlipTally newlyRefused;
  private final FlipTally newlyAllowed;

  Clerk(RuleSet rules, @Nullable RuleSet other) {
    this.tally = new Tally(rules);
    this.otherTally = other == null ? null : new Tally(other);
    this.newlyRefused = new FlipTally(tally.axis());
    this.newlyAllowed = new FlipTally(tally.axis());
  }

  /**
   * The decisions on the rows of a block; null for requests that a front end would answer with 400.
   *
   * @param others by the other rules; empty if there are none
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Decided(Block block, @Nullable Ruling[] rulings, @Nullable Ruling[] others) {}

  void count(Decided decided) {
    Block block = decided.block();
    for (int i = 0; i < block.rows(); i++) {
      Ruling ruling = decided.rulings()[i];
      if (ruling != null) {
        tally.add(block.millis(i), ruling);
      }
      if (otherTally != null) {
        Ruling other = decided.others()[i];
        if (other != null) {
          otherTally.add(block.millis(i), other);
        }
        if (ruling != null && other != null && ruling.allowed() != other.allowed()) {
          if (ruling.allowed()) {
            newlyRefused.add(block.row(i), other);
          } else {
            newlyAllowed.add(block.row(i), ruling);
          }
        }
      }
    }
  }

  /**
   * The summary of all counts.
   *
   * @param trace at its end
   * @param bad the requests that a front end would answer with 400
   * @param badByOther the same by the other rules; null if there are none
   */
  Summary summary(Trace trace, Faults bad, @Nullable Faults badByOther) {
    Faults malformed = trace.faults();
    Optional<String> cut = trace.cut();
    Optional<Comparison> comparison =
        otherTally == null || badByOther == null
            ? Optional.empty()
            : Optional.of(
                new Comparison(
                    otherTally.summary(malformed, badByOther, cut, Optional.empty()),
                    newlyRefused.flips(),
                    newlyAllowed.flips()));
    return tally.summary(malformed, bad, cut, comparison);
  }
}
