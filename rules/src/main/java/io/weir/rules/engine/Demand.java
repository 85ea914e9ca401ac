package io.weir.rules.engine;

import io.weir.Charge;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.RateLimiter;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.rules.RuleDecision;
import io.weir.rules.envoy.EnvoyCounting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One demand of a question on a bucket, and its result. */
public final class Demand {
  /** What happens to the bucket. */
  public enum Kind {
    /** Charged if the question is granted. */
    TAKE,
    /** Must have permits, but is not charged. */
    LOOK,
    /** Shadow: charged if the question is granted, without effect on the decision. */
    TRY,
    /**
     * Shadow: checked but not charged if the question is granted, without effect on the decision.
     */
    GLANCE,
    /** Charged by itself, whatever the decision: see {@link EnvoyCounting}. */
    COUNT,
    /** Charged in full even if it does not fit; refused if nothing remained before. */
    CHARGE_IN_FULL,
    /** Refunded if the question is granted. */
    GIVE_BACK
  }

  private final LimiterHandle limiterHandle;
  private final String key;
  private final long cost;
  private final Kind kind;
  private final boolean isQuota;
  private @Nullable Decision decision;
  private @Nullable RuleDecision ruleDecision;

  /**
   * Creates a demand.
   *
   * @param isQuota whether the demand is in quota mode: one granted demand in that mode is enough
   */
  public Demand(LimiterHandle limiterHandle, String key, long cost, Kind kind, boolean isQuota) {
    this.limiterHandle = limiterHandle;
    this.key = key;
    this.cost = cost;
    this.kind = kind;
    this.isQuota = isQuota;
  }

  LimiterHandle limiterHandle() {
    return limiterHandle;
  }

  Rule rule() {
    return limiterHandle.limitGroup().rule();
  }

  String key() {
    return key;
  }

  long cost() {
    return cost;
  }

  /** The amount for an unchecked charge or refund, capped at the largest possible limit. */
  long countable() {
    return Math.min(cost, Limit.MAX_PERMITS);
  }

  Kind kind() {
    return kind;
  }

  public boolean isQuota() {
    return isQuota;
  }

  public boolean isCounted() {
    return kind == Kind.COUNT;
  }

  /** Whether its decision is only reported and has no effect. */
  public boolean isShadow() {
    return rule().policy().mode() == Policy.Mode.SHADOW;
  }

  /** Whether a plain check is enough if there are no other demands. */
  boolean isPlain() {
    return kind == Kind.TAKE || (kind == Kind.COUNT && cost <= 1);
  }

  /** Whether it demands the same of the same bucket; limits may differ. */
  boolean asksTheSameAs(Demand other) {
    return kind == other.kind
        && isQuota == other.isQuota
        && cost == other.cost
        && key.equals(other.key)
        && limiterHandle.limitGroup().id().equals(other.limiterHandle.limitGroup().id());
  }

  Charge charge() {
    return new Charge(limiter(), key, cost, kind == Kind.LOOK);
  }

  RateLimiter limiter() {
    return limiterHandle.limiter();
  }

  void decided(Decision by) {
    decision = by;
    ruleDecision = null;
  }

  /** Whether it was decided. Shadow demands are not if the question was refused. */
  public boolean isDecided() {
    return decision != null;
  }

  /** Whether other limits than its own decided it. */
  boolean isByOtherLimits() {
    return decision != null && !limiterHandle.decides(decision);
  }

  /** How much more must be counted: see {@link EnvoyCounting#room}. */
  long room() {
    return decision != null && isCounted() ? EnvoyCounting.room(limiterHandle, decision) : 0;
  }

  public RuleDecision ruleDecision() {
    RuleDecision known = ruleDecision;
    if (known == null) {
      known = new RuleDecision(limiterHandle.limitGroup(), key, told());
      ruleDecision = known;
    }
    return known;
  }

  private Decision told() {
    if (decision == null) {
      throw new IllegalStateException("not decided: " + rule().name());
    }
    Decision told = limiterHandle.isCounting() ? explained(decision) : decision;
    return switch (kind) {
      case GIVE_BACK -> allowed(told);
      case CHARGE_IN_FULL -> costing(countable(), told);
      default -> told;
    };
  }

  private Decision explained(Decision counted) {
    List<Limit> limits = limiterHandle.limitGroup().limits();
    return kind == Kind.COUNT
        ? EnvoyCounting.explain(limits, counted)
        : EnvoyCounting.explainPeek(limits, counted);
  }

  /** A peek at one permit decided what was charged in full. */
  private static Decision costing(long cost, Decision told) {
    long millis = told.time().toEpochMilli();
    return Decision.of(cost, told.delay(), told.standings(), millis, told.origin());
  }

  /** A refund is always allowed. */
  private static Decision allowed(Decision told) {
    if (told.allowed()) {
      return told;
    }
    List<LimitStatus> standings = new ArrayList<>(told.standings().size());
    for (LimitStatus limitStatus : told.standings()) {
      long growth = limitStatus.growsAfter().map(Duration::toNanos).orElse(0L);
      long reset = limitStatus.resetAfter().toNanos();
      standings.add(LimitStatus.of(limitStatus.limit(), limitStatus.remaining(), 0, growth, reset));
    }
    long millis = told.time().toEpochMilli();
    return Decision.of(told.cost(), Duration.ZERO, standings, millis, told.origin());
  }
}
