package io.weir.server;

import io.weir.Decision;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.Standing;
import java.util.concurrent.atomic.LongAdder;

/** What is counted for one rule. */
public final class RuleTally {
  private static final int OUTCOMES = Outcome.values().length;
  private static final int POLICIES = OnFailure.values().length;

  private final int number;
  private final String label;
  private final LongAdder[] outcomes = adders(OUTCOMES);
  private final LongAdder[] fallbacks = adders(POLICIES);
  private final LongAdder nearLimit = new LongAdder();

  RuleTally(int number, String label) {
    this.number = number;
    this.label = label;
  }

  private static LongAdder[] adders(int n) {
    LongAdder[] adders = new LongAdder[n];
    for (int i = 0; i < n; i++) {
      adders[i] = new LongAdder();
    }
    return adders;
  }

  void count(Outcome outcome, Decision decision, OnFailure policy) {
    outcomes[outcome.ordinal()].increment();
    if (decision.origin() == Origin.FAILURE) {
      fallbacks[policy.ordinal()].increment();
    } else {
      if (decision.origin() == Origin.LOCAL) {
        fallbacks[OnFailure.LOCAL.ordinal()].increment();
      }
      if (isNear(decision)) {
        nearLimit.increment();
      }
    }
  }

  /** Whether the request was allowed, and less than a fifth of the limit is left. */
  public static boolean isNear(Decision decision) {
    if (!decision.allowed() || decision.origin() == Origin.FAILURE) {
      return false;
    }
    Standing standing = decision.deciding();
    return standing.remaining() * 5 < standing.limit().capacity();
  }

  /** What it is known by as long as the process runs: no other ever has the same. */
  public int number() {
    return number;
  }

  /** The rule's name; with its domain before it if an earlier domain has a rule of that name. */
  public String label() {
    return label;
  }

  /** How often. */
  public long count(Outcome outcome) {
    return outcomes[outcome.ordinal()].sum();
  }

  /** How often the store could not be asked, and {@code policy} decided. */
  public long fallbacks(OnFailure policy) {
    return fallbacks[policy.ordinal()].sum();
  }

  /** How many allowed requests left less than a fifth of the limit. */
  public long nearLimit() {
    return nearLimit.sum();
  }
}
