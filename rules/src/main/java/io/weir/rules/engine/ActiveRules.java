package io.weir.rules.engine;

import io.weir.RateLimiter;
import io.weir.rules.RuleSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The rules in force, which may be replaced at any time. */
public final class ActiveRules {
  /*
   * The rules in force are one immutable object, read once per request. A limiter belongs to a
   * limit group's id and outlives rule sets; a changed limit reconfigures its limiter in place. So
   * during a replacement, a request may find that a limiter already has the limits of the next
   * rule set. The decision shows this, because it names the limits that made it. Such a request
   * gives back its permits and starts again with the rules then in force.
   *
   * So a request needs no lock. The cost is a comparison of references, plus a retry of the few
   * requests in progress at the moment of a reload.
   */

  private final LimiterFactory limiterFactory;
  private final Object reloads = new Object();
  private final Object reloading = new Object();
  private volatile RulesSnapshot rulesSnapshot;

  public ActiveRules(RuleSet rules, LimiterFactory limiterFactory) {
    this.limiterFactory = limiterFactory;
    this.rulesSnapshot = new RulesSnapshot(rules, limiterFactory, null);
  }

  public RulesSnapshot rulesSnapshot() {
    return rulesSnapshot;
  }

  public void reload(RuleSet rules) {
    // one whole reload at a time, so that no change waits for part of another
    synchronized (reloads) {
      List<Runnable> rest;
      synchronized (reloading) {
        RulesSnapshot next = new RulesSnapshot(rules, limiterFactory, rulesSnapshot);
        rest = reconfigure(Arrays.stream(next.limiterHandles()));
        rulesSnapshot.replacedBy(next);
        rulesSnapshot = next;
      }
      rest.forEach(Runnable::run);
    }
  }

  /**
   * Waits for a reload in progress. If there is none, a request with the previous rules may have
   * opened a limiter; that limiter gets the limits in force.
   *
   * @return whether anything has changed since a request with {@code rules} read it
   */
  boolean hasChanged(RulesSnapshot rules, Stream<LimiterHandle> used) {
    List<Runnable> rest;
    synchronized (reloading) {
      if (rulesSnapshot != rules) {
        return true;
      }
      rest = reconfigure(used);
    }
    rest.forEach(Runnable::run);
    return !rest.isEmpty();
  }

  private static List<Runnable> reconfigure(Stream<LimiterHandle> limiterHandles) {
    List<Runnable> rest = new ArrayList<>();
    limiterHandles.forEach(
        limiterHandle -> {
          RateLimiter open = limiterHandle.lazyLimiter().limiter();
          if (open != null && !limiterHandle.isInForce(open)) {
            rest.add(
                open.beginReconfigure(
                    limiterHandle.limits(),
                    limiterHandle.onFailure(),
                    limiterHandle.consistency()));
          }
        });
    return rest;
  }
}
