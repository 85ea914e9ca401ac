package io.weir.rules;

import io.weir.Charge;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.RateLimiter;
import io.weir.Standing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One demand of a question on a bucket, and its result. */
final class Demand {
  /** What happens to the bucket. */
  enum Kind {
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
    /** Charged by itself, whatever the decision: see {@link Counting}. */
    COUNT,
    /** Charged in full even if it does not fit; refused if nothing remained before. */
    CHARGE_IN_FULL,
    /** Refunded if the question is granted. */
    GIVE_BACK
  }

  private final Bound bound;
  private final String key;
  private final long cost;
  private final Kind kind;
  private final boolean isQuota;
  private @Nullable Decision decision;
  private @Nullable Verdict verdict;

  /**
   * Creates a demand.
   *
   * @param isQuota whether the demand is in quota mode: one granted demand in that mode is enough
   */
  Demand(Bound bound, String key, long cost, Kind kind, boolean isQuota) {
    this.bound = bound;
    this.key = key;
    this.cost = cost;
    this.kind = kind;
    this.isQuota = isQuota;
  }

  Bound bound() {
    return bound;
  }

  Rule rule() {
    return bound.meter().rule();
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

  boolean isQuota() {
    return isQuota;
  }

  boolean isCounted() {
    return kind == Kind.COUNT;
  }

  /** Whether its decision is only reported and has no effect. */
  boolean isShadow() {
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
        && bound.meter().id().equals(other.bound.meter().id());
  }

  Charge charge() {
    return new Charge(limiter(), key, cost, kind == Kind.LOOK);
  }

  RateLimiter limiter() {
    return bound.limiter();
  }

  void decided(Decision by) {
    decision = by;
    verdict = null;
  }

  /** Whether it was decided. Shadow demands are not if the question was refused. */
  boolean isDecided() {
    return decision != null;
  }

  /** Whether other limits than its own decided it. */
  boolean isByOtherLimits() {
    return decision != null && !bound.decides(decision);
  }

  /** How much more must be counted: see {@link Counting#room}. */
  long room() {
    return decision != null && isCounted() ? Counting.room(bound, decision) : 0;
  }

  Verdict verdict() {
    Verdict known = verdict;
    if (known == null) {
      known = new Verdict(bound.meter(), key, told());
      verdict = known;
    }
    return known;
  }

  private Decision told() {
    if (decision == null) {
      throw new IllegalStateException("not decided: " + rule().name());
    }
    Decision told = bound.isCounting() ? explained(decision) : decision;
    return switch (kind) {
      case GIVE_BACK -> allowed(told);
      case CHARGE_IN_FULL -> costing(countable(), told);
      default -> told;
    };
  }

  private Decision explained(Decision counted) {
    List<Limit> limits = bound.meter().limits();
    return kind == Kind.COUNT
        ? Counting.explain(limits, counted)
        : Counting.explainPeek(limits, counted);
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
    List<Standing> standings = new ArrayList<>(told.standings().size());
    for (Standing standing : told.standings()) {
      long growth = standing.growsAfter().map(Duration::toNanos).orElse(0L);
      long reset = standing.resetAfter().toNanos();
      standings.add(Standing.of(standing.limit(), standing.remaining(), 0, growth, reset));
    }
    long millis = told.time().toEpochMilli();
    return Decision.of(told.cost(), Duration.ZERO, standings, millis, told.origin());
  }
}
