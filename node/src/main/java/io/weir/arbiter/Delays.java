package io.weir.arbiter;

import io.weir.Limit;
import io.weir.rules.RuleSet;
import org.jspecify.annotations.Nullable;

/**
 * Reports whether rules may delay requests. Only then must a front end remember what was charged,
 * so that a client that stops waiting can give its place back.
 */
public final class Delays {
  private final Arbiter arbiter;
  private volatile @Nullable Known known;

  /** Follows the rules in force at each call. */
  public Delays(Arbiter arbiter) {
    this.arbiter = arbiter;
  }

  /** Whether a rule in force has a limit that delays. */
  @SuppressWarnings("ReferenceEquality") // usually the same rules as before
  public boolean arePossible() {
    RuleSet rules = arbiter.rules();
    Known before = known;
    if (before == null || before.rules != rules) {
      before = new Known(rules, delay(rules));
      known = before;
    }
    return before.delay;
  }

  private static boolean delay(RuleSet rules) {
    return rules.meters().stream()
        .flatMap(meter -> meter.limits().stream())
        .anyMatch(Limit.LeakyBucket.class::isInstance);
  }

  private record Known(RuleSet rules, boolean delay) {}
}
