package io.weir.rules.engine;

import io.weir.rules.LimitGroup;
import io.weir.rules.RuleSet;
import io.weir.rules.envoy.EnvoyCounting;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The rules in force at one moment, with the limiter of each limit group. */
public final class RulesSnapshot {
  private final RuleSet rules;
  private final LimiterHandle[] limiterHandles;
  private final Map<String, LazyLimiter> lazyLimiters = new HashMap<>();
  private final AtomicReference<@Nullable RulesSnapshot> successor = new AtomicReference<>();

  /**
   * Binds {@code rules} to limiters.
   *
   * @param before the previous rules; their limiters are kept for limit groups that stay the same
   */
  public RulesSnapshot(RuleSet rules, LimiterFactory source, @Nullable RulesSnapshot before) {
    this.rules = rules;
    this.limiterHandles = new LimiterHandle[rules.limitGroups().size()];
    for (LimitGroup limitGroup : rules.limitGroups()) {
      String id = limitGroup.id();
      LazyLimiter known = before == null ? null : before.lazyLimiters.get(id);
      LazyLimiter lazyLimiter = known == null ? new LazyLimiter(id, source) : known;
      lazyLimiters.put(id, lazyLimiter);
      boolean counts = source.countsRefused() && rules.isOfDescriptors(limitGroup);
      limiterHandles[limitGroup.number()] =
          new LimiterHandle(
              limitGroup, counts ? EnvoyCounting.of(limitGroup) : limitGroup.limits(), lazyLimiter);
    }
  }

  public RuleSet rules() {
    return rules;
  }

  public LimiterHandle of(LimitGroup limitGroup) {
    return limiterHandles[limitGroup.number()];
  }

  public LimiterHandle[] limiterHandles() {
    return limiterHandles;
  }

  /** The rules that replaced these; null while these are in force. */
  @Nullable RulesSnapshot next() {
    return successor.get();
  }

  void replacedBy(RulesSnapshot next) {
    successor.set(next);
  }
}
