package io.weir.rules.engine;

import io.weir.Charge;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.RateLimiter;
import io.weir.rules.LimitGroup;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.rules.RuleDecision;
import io.weir.rules.envoy.EnvoyCounting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A charge that a rule or a descriptor makes for a request, and the decision on it.
 *
 * <p>It is made from rules alone, and then bound to the limiter that decides it.
 */
public final class PendingCharge {
  /** What happens to the bucket. */
  public enum Kind {
    /** Charged if the request is allowed. */
    TAKE,
    /** Must have permits, but is not charged. */
    PEEK,
    /** Shadow: charged if the request is allowed, without effect on the decision. */
    SHADOW_TAKE,
    /**
     * Shadow: checked but not charged if the request is allowed, without effect on the decision.
     */
    SHADOW_PEEK,
    /** Charged by itself, whatever the decision: see {@link EnvoyCounting}. */
    COUNT,
    /** Charged in full even if it does not fit; refused if nothing remained before. */
    CHARGE_IN_FULL,
    /** Refunded if the request is allowed. */
    REFUND
  }

  private final LimitGroup limitGroup;
  private final String key;
  private final long cost;
  private final Kind kind;
  private final boolean isQuota;
  private @Nullable LimiterHandle limiterHandle;
  private @Nullable Decision decision;
  private @Nullable RuleDecision ruleDecision;

  /**
   * Creates a charge that is not bound yet.
   *
   * @param key the key of the bucket: see {@link RuleDecision}
   * @param cost how many permits
   */
  PendingCharge(LimitGroup limitGroup, String key, long cost, Kind kind) {
    this(limitGroup, key, cost, kind, false);
  }

  /**
   * Creates a bound charge.
   *
   * @param isQuota whether it is in quota mode: one granted charge in that mode is enough
   */
  public PendingCharge(
      LimiterHandle limiterHandle, String key, long cost, Kind kind, boolean isQuota) {
    this(limiterHandle.limitGroup(), key, cost, kind, isQuota);
    this.limiterHandle = limiterHandle;
  }

  private PendingCharge(LimitGroup limitGroup, String key, long cost, Kind kind, boolean isQuota) {
    this.limitGroup = limitGroup;
    this.key = key;
    this.cost = cost;
    this.kind = kind;
    this.isQuota = isQuota;
  }

  /** Binds it to the limiter of {@code rules}, from which it was made. */
  void bind(RulesSnapshot rules) {
    limiterHandle = rules.of(limitGroup);
  }

  /** The same charge of another kind, bound to the limiter of {@code rules}. */
  public PendingCharge bound(RulesSnapshot rules, Kind as) {
    return new PendingCharge(rules.of(limitGroup), key, cost, as, false);
  }

  LimiterHandle limiterHandle() {
    LimiterHandle bound = limiterHandle;
    if (bound == null) {
      throw new IllegalStateException("not bound to a limiter: " + rule().name());
    }
    return bound;
  }

  /** The limits that are charged. */
  public LimitGroup limitGroup() {
    return limitGroup;
  }

  /** The rule. */
  public Rule rule() {
    return limitGroup.rule();
  }

  /** The key of the bucket: see {@link RuleDecision}. */
  public String key() {
    return key;
  }

  /** How many permits. */
  public long cost() {
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

  /** Whether a plain check is enough if there are no other charges. */
  boolean isPlain() {
    return kind == Kind.TAKE || (kind == Kind.COUNT && cost <= 1);
  }

  /** Whether it charges the same to the same bucket; limits may differ. */
  boolean isSameAs(PendingCharge other) {
    return kind == other.kind
        && isQuota == other.isQuota
        && cost == other.cost
        && key.equals(other.key)
        && limitGroup.id().equals(other.limitGroup.id());
  }

  Charge toCharge() {
    return new Charge(limiter(), key, cost, kind == Kind.PEEK);
  }

  RateLimiter limiter() {
    return limiterHandle().limiter();
  }

  void decided(Decision by) {
    decision = by;
    ruleDecision = null;
  }

  /** Whether it was decided. Shadow charges are not if the request was refused. */
  public boolean isDecided() {
    return decision != null;
  }

  /** Whether other limits than its own decided it. */
  boolean isByOtherLimits() {
    return decision != null && !limiterHandle().decides(decision);
  }

  /** How much more must be counted: see {@link EnvoyCounting#room}. */
  long room() {
    return decision != null && isCounted() ? EnvoyCounting.room(limiterHandle(), decision) : 0;
  }

  public RuleDecision ruleDecision() {
    RuleDecision known = ruleDecision;
    if (known == null) {
      known = new RuleDecision(limitGroup, key, shown());
      ruleDecision = known;
    }
    return known;
  }

  /** The decision, in the terms of the limits that are charged. */
  private Decision shown() {
    if (decision == null) {
      throw new IllegalStateException("not decided: " + rule().name());
    }
    Decision shown = limiterHandle().isCounting() ? explained(decision) : decision;
    return switch (kind) {
      case REFUND -> allowed(shown);
      case CHARGE_IN_FULL -> costing(countable(), shown);
      default -> shown;
    };
  }

  private Decision explained(Decision counted) {
    List<Limit> limits = limitGroup.limits();
    return kind == Kind.COUNT
        ? EnvoyCounting.explain(limits, counted)
        : EnvoyCounting.explainPeek(limits, counted);
  }

  /** A peek at one permit decided what was charged in full. */
  private static Decision costing(long cost, Decision peek) {
    long millis = peek.time().toEpochMilli();
    return Decision.of(cost, peek.delay(), peek.standings(), millis, peek.origin());
  }

  /** A refund is always allowed. */
  private static Decision allowed(Decision peek) {
    if (peek.allowed()) {
      return peek;
    }
    List<LimitStatus> statuses = new ArrayList<>(peek.standings().size());
    for (LimitStatus limitStatus : peek.standings()) {
      long growth = limitStatus.growsAfter().map(Duration::toNanos).orElse(0L);
      long reset = limitStatus.resetAfter().toNanos();
      statuses.add(LimitStatus.of(limitStatus.limit(), limitStatus.remaining(), 0, growth, reset));
    }
    long millis = peek.time().toEpochMilli();
    return Decision.of(peek.cost(), Duration.ZERO, statuses, millis, peek.origin());
  }
}
