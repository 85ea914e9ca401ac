package io.weir.arbiter;

import io.weir.Limit;
import io.weir.rules.RuleSet;
import org.jspecify.annotations.Nullable;

/**
 * Whether rules may delay requests. Only then is what was charged remembered, so that a client that
 * does not wait for its turn can give its place back; for all others that would be for nothing.
 */
public final class Delays {
  private final Arbiter arbiter;
  private volatile @Nullable Known known;

  /** By the rules that are in force whenever it is asked. */
  public Delays(Arbiter arbiter) {
    this.arbiter = arbiter;
  }

  /** Whether a rule in force has a limit that delays. */
  @SuppressWarnings("ReferenceEquality") // the very same rules as before, as almost always
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
