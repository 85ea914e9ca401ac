package io.weir.rules;

import io.weir.Charge;
import io.weir.Decision;
import io.weir.RateLimiter;
import org.jspecify.annotations.Nullable;

/** What a question asks of one bucket, and what came of it. */
final class Demand {
  /** What becomes of the bucket, and of the question. */
  enum Kind {
    /** Taken together with all others of this kind, or none of them. */
    ALL,
    /** Taken where it is there; one of this kind must be. */
    ANY,
    /** Must be there, but is not taken. */
    LOOK,
    /** Taken by itself when the question is granted, whatever it says: only tried. */
    TRY,
    /** Looked at when the question is granted, whatever it says. */
    GLANCE,
    /** Counted by itself, whatever anybody says. */
    COUNT,
    /** Given back when the question is granted. */
    GIVE_BACK
  }

  private final Bound bound;
  private final String key;
  private final long cost;
  private final Kind kind;
  private @Nullable Decision decision;

  Demand(Bound bound, String key, long cost, Kind kind) {
    this.bound = bound;
    this.key = key;
    this.cost = cost;
    this.kind = kind;
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

  Kind kind() {
    return kind;
  }

  /** Whether it tells how it would be, and decides nothing. */
  boolean isShadow() {
    return kind == Kind.TRY || kind == Kind.GLANCE;
  }

  /** Whether it wants the same of the same bucket, be its limits what they may. */
  boolean asksTheSameAs(Demand other) {
    return kind == other.kind
        && cost == other.cost
        && key.equals(other.key)
        && bound.meter().id().equals(other.bound.meter().id());
  }

  Charge charge() {
    return new Charge(limiter(), key, cost);
  }

  RateLimiter limiter() {
    return bound.limiter();
  }

  void decided(Decision by) {
    decision = by;
  }

  /** Whether it was decided: what is only tried is not when the question was refused. */
  boolean isDecided() {
    return decision != null;
  }

  Decision decision() {
    if (decision == null) {
      throw new IllegalStateException("not decided: " + rule().name());
    }
    return decision;
  }

  /** Whether it was decided by limits that are not those it was asked of. */
  boolean isByOtherLimits() {
    return decision != null && !bound.decides(decision);
  }

  Verdict verdict() {
    return new Verdict(rule(), key, decision());
  }
}
