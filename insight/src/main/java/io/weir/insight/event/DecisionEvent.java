package io.weir.insight.event;

import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.decision.RuleCounters;
import io.weir.decision.RuleOutcome;

/**
 * One decision, packed into a long:
 *
 * <pre>{@code
 * 62 … 32   18 … 31        8 … 17          4 … 7    3     0 … 2
 *  cost    override   thousandths used   halvings  near  outcome
 * }</pre>
 */
public final class DecisionEvent {
  private static final RuleOutcome[] OUTCOMES = RuleOutcome.values();
  private static final long MAX_COST = (1L << 31) - 1;
  private static final int NEAR = 1 << 3;
  private static final int LAST_OVERRIDE = (1 << 14) - 1; // and all after it

  private DecisionEvent() {}

  static long pack(RuleOutcome ruleOutcome, int override, Decision decision, int halvings) {
    long word = ruleOutcome.ordinal() | (long) halvings << 4;
    word |= (long) Math.min(override, LAST_OVERRIDE) << 18;
    word |= Math.max(0, Math.min(decision.cost(), MAX_COST)) << 32;
    if (RuleCounters.isNear(decision)) {
      LimitStatus limitStatus = decision.deciding();
      long capacity =
          limitStatus.limit().capacity(); // cost is more than what remains, and so not 0
      word |= NEAR | (capacity - limitStatus.remaining()) * 1000 / capacity << 8;
    }
    return word;
  }

  /** Whether the caller is refused by the limit, or close to it. */
  static boolean isOfLimited(RuleOutcome ruleOutcome, Decision decision) {
    return isRefused(ruleOutcome) || RuleCounters.isNear(decision);
  }

  public static RuleOutcome outcome(long word) {
    return OUTCOMES[(int) word & 7];
  }

  /** Whether it was refused, or would have been by a rule in shadow mode. */
  public static boolean isRefused(long word) {
    return isRefused(outcome(word));
  }

  private static boolean isRefused(RuleOutcome ruleOutcome) {
    return ruleOutcome == RuleOutcome.DENIED || ruleOutcome == RuleOutcome.SHADOW_DENIED;
  }

  public static boolean isNear(long word) {
    return (word & NEAR) != 0;
  }

  /** How many decisions it represents. */
  public static int weight(long word) {
    return 1 << ((int) (word >>> 4) & 15);
  }

  /** The used share of the limit, in thousandths; only for callers near it. */
  public static int use(long word) {
    return (int) (word >>> 8) & 1023;
  }

  /** The number of the override that applied, from 1; 0: the rule's own limits. */
  public static int override(long word) {
    return (int) (word >>> 18) & LAST_OVERRIDE;
  }

  /** How many permits were requested. */
  public static long cost(long word) {
    return word >>> 32;
  }
}
