package io.weir.seeing;

import io.weir.Decision;
import io.weir.Standing;
import io.weir.arbiter.Outcome;
import io.weir.arbiter.RuleTally;

/**
 * What is noted of one decision, in one word:
 *
 * <pre>{@code
 * 63 … 32    16 … 25              8 … 11     2      0 … 1
 *  cost    thousandths used      halvings   near   outcome
 * }</pre>
 */
final class Sighting {
  private static final Outcome[] OUTCOMES = Outcome.values();
  private static final long MOST = (1L << 31) - 1;
  private static final int NEAR = 1 << 2;

  private Sighting() {}

  static long pack(Outcome outcome, Decision decision, int halvings) {
    long word = outcome.ordinal() | (long) halvings << 8;
    word |= Math.max(0, Math.min(decision.cost(), MOST)) << 32;
    if (RuleTally.isNear(decision)) {
      Standing standing = decision.deciding();
      long capacity = standing.limit().capacity(); // more than what is left, and so not 0
      word |= NEAR | (capacity - standing.remaining()) * 1000 / capacity << 16;
    }
    return word;
  }

  /** Whether a caller is refused by it, or near to that. */
  static boolean isOfLimited(Outcome outcome, Decision decision) {
    return isRefused(outcome) || RuleTally.isNear(decision);
  }

  static Outcome outcome(long word) {
    return OUTCOMES[(int) word & 3];
  }

  static boolean isRefused(long word) {
    return isRefused(outcome(word));
  }

  private static boolean isRefused(Outcome outcome) {
    return outcome == Outcome.DENIED || outcome == Outcome.SHADOW_DENIED;
  }

  static boolean isNear(long word) {
    return (word & NEAR) != 0;
  }

  /** How many decisions it stands for. */
  static int weight(long word) {
    return 1 << ((int) (word >>> 8) & 15);
  }

  /** How much of the limit is used, in thousandths; of those near it alone. */
  static int use(long word) {
    return (int) (word >>> 16) & 1023;
  }

  /** How many permits were asked for. */
  static long cost(long word) {
    return word >>> 32;
  }
}
