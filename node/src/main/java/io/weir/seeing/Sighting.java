package io.weir.seeing;

import io.weir.Decision;
import io.weir.Standing;
import io.weir.arbiter.Outcome;
import io.weir.arbiter.RuleTally;

/**
 * One decision, packed into a long:
 *
 * <pre>{@code
 * 62 … 32   18 … 31        8 … 17          4 … 7    3     0 … 2
 *  cost    override   thousandths used   halvings  near  outcome
 * }</pre>
 */
final class Sighting {
  private static final Outcome[] OUTCOMES = Outcome.values();
  private static final long MOST = (1L << 31) - 1;
  private static final int NEAR = 1 << 3;
  private static final int LAST_OVERRIDE = (1 << 14) - 1; // and all after it

  private Sighting() {}

  static long pack(Outcome outcome, int override, Decision decision, int halvings) {
    long word = outcome.ordinal() | (long) halvings << 4;
    word |= (long) Math.min(override, LAST_OVERRIDE) << 18;
    word |= Math.max(0, Math.min(decision.cost(), MOST)) << 32;
    if (RuleTally.isNear(decision)) {
      Standing standing = decision.deciding();
      long capacity = standing.limit().capacity(); // cost is more than what remains, and so not 0
      word |= NEAR | (capacity - standing.remaining()) * 1000 / capacity << 8;
    }
    return word;
  }

  /** Whether the caller is refused by the limit, or close to it. */
  static boolean isOfLimited(Outcome outcome, Decision decision) {
    return isRefused(outcome) || RuleTally.isNear(decision);
  }

  static Outcome outcome(long word) {
    return OUTCOMES[(int) word & 7];
  }

  /** Whether it was refused, or would have been by a rule in shadow mode. */
  static boolean isRefused(long word) {
    return isRefused(outcome(word));
  }

  private static boolean isRefused(Outcome outcome) {
    return outcome == Outcome.DENIED || outcome == Outcome.SHADOW_DENIED;
  }

  static boolean isNear(long word) {
    return (word & NEAR) != 0;
  }

  /** How many decisions it represents. */
  static int weight(long word) {
    return 1 << ((int) (word >>> 4) & 15);
  }

  /** The used share of the limit, in thousandths; only for callers near it. */
  static int use(long word) {
    return (int) (word >>> 8) & 1023;
  }

  /** The number of the override that applied, from 1; 0: the rule's own limits. */
  static int override(long word) {
    return (int) (word >>> 18) & LAST_OVERRIDE;
  }

  /** How many permits were asked for. */
  static long cost(long word) {
    return word >>> 32;
  }
}
