package io.weir.chaos.audit;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.OnFailure;
import java.time.Duration;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * What one limiter promises.
 *
 * @param name by which all nodes know it
 * @param policy what applies while Redis is unavailable, never {@code allow}: with {@code deny}, a
 *     leased limiter leases strictly
 * @param sizes one for all nodes, or several that nodes use in turn, as in a rolling deploy
 */
public record Contract(
    String name,
    Consistency consistency,
    OnFailure policy,
    Algorithm algorithm,
    List<Size> sizes,
    Duration period) {

  /** The counting algorithm. */
  public enum Algorithm {
    SLIDING_LOG,
    TOKEN_BUCKET,
    FIXED_WINDOW,
    SLIDING_WINDOW,
    SLIDING_EPOCHS,
    LEAKY_BUCKET;

    /** Whether a burst or queue is configured separately from the permits of a period. */
    public boolean hasBurst() {
      return this == TOKEN_BUCKET || this == LEAKY_BUCKET;
    }
  }

  /**
   * The size of a limit.
   *
   * @param permits per period
   * @param burst of buckets, at one moment
   */
  public record Size(long permits, long burst) {
    public Size(long permits) {
      this(permits, permits);
    }
  }

  public Contract {
    sizes = List.copyOf(sizes);
  }

  /** The same for all nodes. */
  public Contract(
      String name,
      Consistency consistency,
      OnFailure policy,
      Algorithm algorithm,
      long permits,
      Duration period) {
    this(name, consistency, policy, algorithm, List.of(new Size(permits)), period);
  }

  /** With leases, if any, that hold as long as Redis keeps its data. */
  public Contract(
      String name, Consistency consistency, Algorithm algorithm, long permits, Duration period) {
    this(
        name,
        consistency,
        consistency == Consistency.LEASED ? OnFailure.ERROR : OnFailure.DENY,
        algorithm,
        permits,
        period);
  }

  /** The same, refusing when in doubt. */
  public Contract strictly() {
    return with(OnFailure.DENY);
  }

  /** The same with another policy. */
  public Contract with(OnFailure other) {
    return new Contract(name, consistency, other, algorithm, sizes, period);
  }

  /** The contract of the node with this number, from 1 on. */
  public Contract at(int node) {
    Size own = sizes.get(Math.floorMod(node - 1, sizes.size()));
    return new Contract(name, consistency, policy, algorithm, List.of(own), period);
  }

  /** Whether it must hold whatever happens to Redis. */
  public boolean isStrict() {
    return consistency == Consistency.STRICT
        || (consistency == Consistency.LEASED && policy == OnFailure.DENY);
  }

  /** The most permits per period of any node. */
  public long permits() {
    return largest(Size::permits);
  }

  /** The fewest permits per period of any node. */
  public long fewestPermits() {
    return smallest(Size::permits);
  }

  private long largest(ToLongFunction<Size> part) {
    return sizes.stream().mapToLong(part).max().orElseThrow();
  }

  private long smallest(ToLongFunction<Size> part) {
    return sizes.stream().mapToLong(part).min().orElseThrow();
  }

  /** The limit of the first node. */
  public Limit limit() {
    return limit(sizes.get(0));
  }

  private Limit limit(Size size) {
    return switch (algorithm) {
      case SLIDING_LOG -> Limit.slidingLog(size.permits()).per(period);
      case TOKEN_BUCKET -> Limit.tokenBucket(size.permits()).per(period).burst(size.burst());
      case FIXED_WINDOW -> Limit.fixedWindow(size.permits()).per(period);
      case SLIDING_WINDOW -> Limit.slidingWindow(size.permits()).per(period);
      case SLIDING_EPOCHS -> Limit.slidingEpochs(size.permits()).per(period);
      case LEAKY_BUCKET -> Limit.leakyBucket(size.permits()).per(period).queue(size.burst());
    };
  }

  /** What all nodes together may grant: if limits differ, as much as the largest of them. */
  public GrantBound grantBound() {
    return algorithm == Algorithm.LEAKY_BUCKET
        ? GrantBound.tokenBucket(permits(), period, maxQueue() + 1)
        : bound(permits(), largest(Size::burst));
  }

  /**
   * The same if Redis's clock was put back so many times. A limit in aligned windows then has one
   * more edge for each: permits before an edge, after it, and after the first edge of the time that
   * comes again.
   */
  public GrantBound grantBound(int stepsBack) {
    GrantBound steady = grantBound();
    return isInWindows() ? nanos -> steady.maxPermits(nanos) + stepsBack * permits() : steady;
  }

  private boolean isInWindows() {
    return switch (algorithm) {
      case FIXED_WINDOW, SLIDING_WINDOW, SLIDING_EPOCHS -> true;
      case SLIDING_LOG, TOKEN_BUCKET, LEAKY_BUCKET -> false;
    };
  }

  /**
   * The most requests that the fastest node can queue while none is delayed longer than any node
   * allows. A queue is kept as time, so 20 places of a slow node are more on a fast one.
   */
  private long maxQueue() {
    return largest(size -> -Math.floorDiv(-size.burst() * permits(), size.permits()));
  }

  /** What every node grants, whatever the others allow. */
  public GrantBound smallestBound() {
    return bound(fewestPermits(), smallest(Size::burst));
  }

  private GrantBound bound(long permits, long burst) {
    return switch (algorithm) {
      case SLIDING_LOG -> GrantBound.slidingLog(permits, period);
      case TOKEN_BUCKET -> GrantBound.tokenBucket(permits, period, burst);
      case LEAKY_BUCKET -> GrantBound.tokenBucket(permits, period, burst + 1);
      case FIXED_WINDOW, SLIDING_WINDOW, SLIDING_EPOCHS -> GrantBound.windows(permits, period);
    };
  }

  /** The form for another process, which has one size. */
  public String toLine() {
    return String.join(
        " ",
        name,
        consistency.name(),
        policy.name(),
        algorithm.name(),
        Long.toString(sizes.get(0).permits()),
        Long.toString(sizes.get(0).burst()),
        Long.toString(period.toMillis()));
  }

  /** Parses the form of {@link #toLine}. */
  public static Contract parse(String line) {
    String[] words = line.split(" ", -1);
    return new Contract(
        words[0],
        Consistency.valueOf(words[1]),
        OnFailure.valueOf(words[2]),
        Algorithm.valueOf(words[3]),
        List.of(new Size(Long.parseLong(words[4]), Long.parseLong(words[5]))),
        Duration.ofMillis(Long.parseLong(words[6])));
  }

  @Override
  public String toString() {
    boolean isLeasedStrictly = consistency == Consistency.LEASED && isStrict();
    return consistency
        + (isLeasedStrictly ? " strictly, " : ", ")
        + (policy == OnFailure.LOCAL ? "locally in an outage, " : "")
        + sizes.stream().map(size -> limit(size).toString()).collect(Collectors.joining(" or "));
  }
}
