package io.weir;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The result of one request: whether it is allowed, after which delay, and the status of each
 * limit. Immutable.
 *
 * <p>Waits are rounded up to the limit's tick. If no other request arrives, a request that is
 * refused with a {@link #retryAfter} is allowed after exactly that wait and not one tick earlier.
 */
public final class Decision {
  private static final Duration RETRY_AFTER_FAILURE = Duration.ofSeconds(1);

  private final boolean allowed;
  private final long cost;
  private final long delayNanos;
  private final List<LimitStatus> standings;
  private final LimitStatus deciding;
  private final long epochMillis;
  private final Origin origin;

  private Decision(
      boolean allowed,
      long cost,
      long delayNanos,
      List<LimitStatus> standings,
      long epochMillis,
      Origin origin) {
    this.allowed = allowed;
    this.cost = cost;
    this.delayNanos = delayNanos;
    this.standings = standings;
    this.deciding = deciding(standings, allowed);
    this.epochMillis = epochMillis;
    this.origin = origin;
  }

  /**
   * A decision by limits that all apply. It is allowed if each of them allows. The deciding limit
   * is the refusing one with the longest wait, or else the allowing one with the fewest permits
   * left.
   *
   * @param delay how long the request is to be held before it proceeds; zero when refused
   * @param standings the status of each limit after the decision; at least one
   * @param epochMillis the store's time of the decision, milliseconds since the epoch
   */
  public static Decision of(
      long cost, Duration delay, List<LimitStatus> standings, long epochMillis, Origin origin) {
    if (standings.isEmpty()) {
      throw new IllegalArgumentException("standings must not be empty");
    }
    boolean allowed = true;
    for (LimitStatus limitStatus : standings) {
      allowed &= limitStatus.allows();
    }
    return new Decision(
        allowed, cost, delay.toNanos(), List.copyOf(standings), epochMillis, origin);
  }

  /**
   * A decision made without the store, because the store was unavailable. Only whether the request
   * is allowed has a meaning. Every limit is reported with nothing left, and a refusal with a wait
   * of one second.
   */
  public static Decision onFailure(
      boolean allowed, long cost, List<Limit> limits, long epochMillis) {
    Duration wait = allowed ? Duration.ZERO : RETRY_AFTER_FAILURE;
    return onFailure(cost, limits, wait, epochMillis);
  }

  /** A refusal because earlier grants are unknown; they stop counting after {@code wait}. */
  public static Decision inDoubt(long cost, List<Limit> limits, Duration wait, long epochMillis) {
    return onFailure(cost, limits, wait.isZero() ? Duration.ofNanos(1) : wait, epochMillis);
  }

  private static Decision onFailure(
      long cost, List<Limit> limits, Duration wait, long epochMillis) {
    long nanos = wait.toNanos();
    List<LimitStatus> standings =
        limits.stream().map(limit -> LimitStatus.of(limit, 0, nanos, 0, 0)).toList();
    return of(cost, Duration.ZERO, standings, epochMillis, Origin.FAILURE);
  }

  /**
   * Combines decisions that were made together into one: all limits, the longest delay and the
   * latest time. The rest comes from the deciding one.
   */
  @SuppressWarnings("ReferenceEquality") // finds the decision that owns this object
  static Decision together(List<Decision> decisions) {
    Decision first = decisions.get(0);
    if (decisions.size() == 1) {
      return first;
    }
    List<LimitStatus> all = decisions.stream().flatMap(d -> d.standings.stream()).toList();
    boolean allowed = decisions.stream().allMatch(d -> d.allowed);
    long delay = allowed ? decisions.stream().mapToLong(d -> d.delayNanos).max().orElse(0) : 0;
    long time = decisions.stream().mapToLong(d -> d.epochMillis).max().orElse(first.epochMillis);
    LimitStatus deciding = deciding(all, allowed);
    Decision decider =
        decisions.stream().filter(d -> d.deciding == deciding).findFirst().orElse(first);
    return new Decision(allowed, decider.cost, delay, all, time, decider.origin);
  }

  private static LimitStatus deciding(List<LimitStatus> standings, boolean allowed) {
    LimitStatus decider = standings.get(0);
    for (int i = 1; i < standings.size(); i++) {
      LimitStatus other = standings.get(i);
      if (allowed ? other.remaining() < decider.remaining() : other.refusesLongerThan(decider)) {
        decider = other;
      }
    }
    return decider;
  }

  /** Whether the request is allowed. */
  public boolean allowed() {
    return allowed;
  }

  /** How many permits the request costs; of several charges, the cost of the deciding one. */
  public long cost() {
    return cost;
  }

  /**
   * How long to hold an allowed request before it proceeds: until its turn in a leaky bucket, or
   * until a reserved moment.
   */
  public Duration delay() {
    return Duration.ofNanos(delayNanos);
  }

  /** The limit that decided. */
  public Limit limit() {
    return deciding.limit();
  }

  /** How many requests of cost 1 would be allowed right now: the minimum over all limits. */
  public long remaining() {
    long fewest = deciding.remaining();
    for (LimitStatus limitStatus : standings) {
      fewest = Math.min(fewest, limitStatus.remaining());
    }
    return fewest;
  }

  /**
   * How long to wait until the same request fits if no other request arrives. Zero when it was
   * allowed, empty when it can never fit.
   */
  public Optional<Duration> retryAfter() {
    return deciding.retryAfter();
  }

  /** Whether the request costs more than a limit can ever give, so that waiting does not help. */
  public boolean neverFits() {
    return deciding.neverFits();
  }

  /** {@link LimitStatus#resetAfter} of the limit that decided. */
  public Duration resetAfter() {
    return deciding.resetAfter();
  }

  /** The status of each limit, in the order of the limits. */
  public List<LimitStatus> standings() {
    return standings;
  }

  /** The status of the limit that decided. */
  public LimitStatus deciding() {
    return deciding;
  }

  /** The store's time of the decision. */
  public Instant time() {
    return Instant.ofEpochMilli(epochMillis);
  }

  /** Where the decision comes from. */
  public Origin origin() {
    return origin;
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof Decision that
        && allowed == that.allowed
        && cost == that.cost
        && delayNanos == that.delayNanos
        && epochMillis == that.epochMillis
        && origin == that.origin
        && standings.equals(that.standings);
  }

  @Override
  public int hashCode() {
    return Objects.hash(allowed, cost, delayNanos, standings, epochMillis, origin);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("Decision[");
    text.append(allowed ? "allowed" : neverFits() ? "never fits" : "refused");
    text.append(", cost ").append(cost).append(", remaining ").append(remaining());
    if (!allowed && !neverFits()) {
      text.append(", retry after ").append(retryAfter().orElseThrow());
    }
    if (delayNanos > 0) {
      text.append(", delay ").append(delay());
    }
    return text.append(", by ").append(limit()).append(", ").append(origin).append(']').toString();
  }
}
