package io.weir;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a key may spend permits now, for any number of keys. Thread-safe.
 *
 * <pre>{@code
 * RateLimiter api = RateLimiter.of(Limit.tokenBucket(10).perSecond().burst(100));
 * if (api.tryAcquire("key-1")) { ... }
 * }</pre>
 *
 * <p>{@link #tryAcquire} returns true or false. {@link #check} returns all that a response header
 * needs. {@link #acquire} blocks until the permits are available. {@link #reserve} returns the
 * wait. With a remote store the other methods block for the network; {@link #async} does not. A
 * refused request spends nothing. One instance serves all keys; memory is proportional to the
 * number of keys that have spent something.
 *
 * <p>A key is any string, the empty one included. A cost of 0 spends nothing and is always allowed.
 * A negative cost is an {@link IllegalArgumentException}. A cost greater than a limit's {@link
 * Limit#capacity} is refused and {@link Decision#neverFits}.
 */
public final class RateLimiter {
  /** The most live keys that a limiter keeps apart by default. */
  public static final long DEFAULT_MAX_KEYS = 10_000_000;

  private final Buckets buckets;
  private volatile Store.LimiterSpec limiterSpec;

  /**
   * At most {@code maxRequests} for each user in any {@code windowMillis} milliseconds, exactly.
   * For use with {@link #allow}.
   */
  public RateLimiter(int maxRequests, long windowMillis) {
    this(builder().limit(Limit.slidingLog(maxRequests).per(Duration.ofMillis(windowMillis))));
  }

  private RateLimiter(Builder builder) {
    limiterSpec = builder.limiterSpec();
    Store store = builder.openStore();
    store.requireKept(limiterSpec.consistency(), limiterSpec.onFailure());
    buckets = store.open(limiterSpec);
  }

  private RateLimiter(Store.LimiterSpec limiterSpec, Buckets buckets) {
    this.limiterSpec = limiterSpec;
    this.buckets = buckets;
  }

  /**
   * A limiter that applies another window size to the same counts: what one of them grants is spent
   * for both.
   *
   * @throws IllegalArgumentException if this limiter's only limit is not a fixed window of the same
   *     span
   */
  public RateLimiter under(Limit.FixedWindow limit, OnFailure onFailure) {
    List<Limit> own = limits();
    if (own.size() != 1 || !own.get(0).sharesBucketsWith(limit)) {
      throw new IllegalArgumentException(limit + " has other buckets than " + own);
    }
    Store.LimiterSpec other = limiterSpec.with(List.of(limit), onFailure, consistency());
    return new RateLimiter(other, buckets.under(other));
  }

  /** A limiter in memory. A request passes all limits or spends nothing. */
  public static RateLimiter of(Limit first, Limit... more) {
    Builder builder = builder().limit(first);
    for (Limit limit : more) {
      builder.limit(limit);
    }
    return builder.build();
  }

  /** A builder for a limiter with settings. */
  public static Builder builder() {
    return new Builder();
  }

  /** Takes one permit if it is available. */
  public boolean tryAcquire(String key) {
    return buckets.tryAcquire(requireKey(key), 1);
  }

  /** Takes {@code cost} permits if they are available. */
  public boolean tryAcquire(String key, long cost) {
    return buckets.tryAcquire(requireKey(key), requireCost(cost));
  }

  /** Takes one permit if it is available, and returns the full decision. */
  public Decision check(String key) {
    return check(key, 1);
  }

  /** Takes {@code cost} permits if they are available, and returns the full decision. */
  public Decision check(String key, long cost) {
    return buckets.check(requireKey(key), requireCost(cost));
  }

  /** The decision that {@link #check(String)} would make now. Spends nothing. */
  public Decision peek(String key) {
    return peek(key, 1);
  }

  /**
   * The decision that {@link #check(String, long)} would make now. Spends nothing. Where refused
   * requests count, this one does not, so its wait may be shorter.
   */
  public Decision peek(String key, long cost) {
    return buckets.peek(requireKey(key), requireCost(cost));
  }

  /**
   * Takes one permit, and blocks until it is available: see {@link #acquire(String, long,
   * Duration)}.
   */
  public boolean acquire(String key, Duration longestWait) throws InterruptedException {
    return acquire(key, 1, longestWait);
  }

  /**
   * Takes {@code cost} permits, and blocks until they are available. Returns false at once if that
   * takes longer than {@code longestWait}. An interrupted wait gives its place back.
   */
  public boolean acquire(String key, long cost, Duration longestWait) throws InterruptedException {
    long left = nanos(requireWait(longestWait));
    long deadline = System.nanoTime() + left;
    while (true) {
      Reservation place = reserve(key, cost, Duration.ofNanos(left));
      if (place.granted()) {
        return sleepUntilTurn(place);
      }
      Duration retryAfter = place.decision().retryAfter().orElse(null);
      if (retryAfter == null || nanos(retryAfter) > left) {
        return false;
      }
      // The queue is longer than reservations reach: try again when half of the wait has passed.
      sleep(retryAfter.dividedBy(2).plusMillis(1));
      left = Math.max(0, deadline - System.nanoTime());
    }
  }

  /** Takes one permit for the earliest moment at which one is available. */
  public Reservation reserve(String key) {
    return reserve(key, 1, Limit.MAX_PERIOD);
  }

  /**
   * Takes {@code cost} permits for the earliest moment at which they are available, if that is
   * within {@code longestWait}. Reservations reach one full refill or one period ahead.
   */
  public Reservation reserve(String key, long cost, Duration longestWait) {
    Buckets.Receipt receipt =
        buckets.reserve(requireKey(key), requireCost(cost), requireWait(longestWait));
    return new Reservation(buckets, receipt);
  }

  /**
   * Takes {@code permits} from {@code key} even if they are not available, for a use that is known
   * only after it has happened. What exceeds the limit is a debt as far as the algorithm can
   * remember one: a window or a log is at most full, a bucket owes up to its capacity.
   *
   * @throws IllegalArgumentException if {@code permits} is negative
   */
  public void chargeInFull(String key, long permits) {
    buckets.chargeInFull(requireKey(key), requireNotNegative("permits", permits));
  }

  /** Gives {@code permits} back to {@code key}, never above full. */
  public void refund(String key, long permits) {
    buckets.refund(requireKey(key), requireNotNegative("permits", permits));
  }

  /**
   * Resets {@code key} to full. If the key shares an overflow bucket, that is reset for all keys
   * that share it.
   */
  public void reset(String key) {
    buckets.reset(requireKey(key));
  }

  /**
   * Makes several charges, on several limiters and keys, together or not at all; for example, one
   * user's limit and a global one. In a race for the last permit a request may be refused that
   * would have passed a moment later. Too many are never granted.
   */
  public static Decision checkAll(Charge... charges) {
    return takeAll(List.of(charges)).together();
  }

  /** {@link #checkAll}, returning the decision of each charge and a way to undo them. */
  public static Receipts takeAll(List<Charge> charges) {
    return take(Charges.of(charges));
  }

  /**
   * {@link #takeAll}, where some charges are alternatives and some only require permits to be
   * available.
   */
  public static Receipts take(Charges charges) {
    return AllOrNothing.take(charges);
  }

  /**
   * Counts and allows a request of {@code userId} at {@code timestampMillis}, or refuses it. The
   * times of one user must not decrease. Times of different users are independent: no user's time
   * makes another user's requests expire. In memory only.
   */
  public boolean allow(String userId, long timestampMillis) {
    return buckets.tryAcquireAt(requireKey(userId), 1, timestampMillis);
  }

  /** {@link #allow} for any cost, returning the full decision. */
  public Decision checkAt(String key, long cost, long epochMillis) {
    return buckets.checkAt(requireKey(key), requireCost(cost), epochMillis);
  }

  /**
   * Changes the limits while in use. A limit of the same algorithm and period as one before keeps
   * what was spent. A count is kept as a count, and the debt of a leaky bucket as time. The debt of
   * a token bucket is kept as time or as permits, whichever is longer. Where more is spent than a
   * smaller limit has, nothing remains, and waits reflect what was really spent. Other limits start
   * fresh.
   */
  public void reconfigure(Limit first, Limit... more) {
    beginReconfigure(concat(first, more)).run();
  }

  /**
   * {@link #reconfigure} for changing many limiters at once. The new limits are in force when this
   * method returns. The returned task takes over the keys that were not used meanwhile, and frees
   * the memory of the previous limits.
   */
  public Runnable beginReconfigure(List<Limit> limits) {
    return beginReconfigure(limits, limiterSpec.onFailure());
  }

  /** {@link #beginReconfigure(List)}, with a new failure policy. */
  public Runnable beginReconfigure(List<Limit> limits, OnFailure onFailure) {
    return beginReconfigure(limits, onFailure, limiterSpec.consistency());
  }

  /** {@link #beginReconfigure(List, OnFailure)}, with a new consistency. */
  public synchronized Runnable beginReconfigure(
      List<Limit> limits, OnFailure onFailure, Consistency consistency) {
    Store.LimiterSpec changed = limiterSpec.with(limits, onFailure, consistency);
    Runnable rest = buckets.reconfigure(changed);
    limiterSpec = changed;
    return rest;
  }

  /** The limits in force. */
  public List<Limit> limits() {
    return limiterSpec.limits();
  }

  /** The decision when the store is unavailable. */
  public OnFailure onFailure() {
    return limiterSpec.onFailure();
  }

  /** What is guaranteed where several processes share the buckets. */
  public Consistency consistency() {
    return limiterSpec.consistency();
  }

  /** The limiter's name. */
  public String name() {
    return limiterSpec.name();
  }

  /**
   * Whether its buckets are in a remote store. If not, every result is available at once and no
   * method waits for the network.
   */
  public boolean isRemote() {
    return buckets.isRemote();
  }

  /** About how many keys are kept apart now. Keys with nothing spent are dropped in passing. */
  public long keys() {
    return buckets.keys();
  }

  /**
   * How many checks were decided by the overflow bucket so far, because too many keys were live.
   */
  public long overflowed() {
    return buckets.overflowed();
  }

  /** The same limiter without blocking calls. */
  public AsyncRateLimiter async() {
    return new AsyncRateLimiter(this);
  }

  Buckets buckets() {
    return buckets;
  }

  static String requireKey(String key) {
    return Objects.requireNonNull(key, "key");
  }

  static long requireCost(long cost) {
    return requireNotNegative("cost", cost);
  }

  static long requireNotNegative(String name, long permits) {
    if (permits < 0) {
      throw new IllegalArgumentException(name + " must not be negative, but is " + permits);
    }
    return permits;
  }

  static Duration requireWait(Duration wait) {
    Objects.requireNonNull(wait, "longestWait");
    if (wait.isNegative()) {
      throw new IllegalArgumentException("longestWait must not be negative, but is " + wait);
    }
    return wait;
  }

  private static boolean sleepUntilTurn(Reservation place) throws InterruptedException {
    try {
      sleep(place.delay());
      return true;
    } catch (InterruptedException e) {
      place.cancel();
      throw e;
    }
  }

  private static void sleep(Duration duration) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(nanos(duration));
  }

  private static long nanos(Duration duration) {
    return duration.compareTo(Limit.MAX_PERIOD) > 0
        ? Limit.MAX_PERIOD.toNanos()
        : duration.toNanos();
  }

  private static List<Limit> concat(Limit first, Limit[] more) {
    List<Limit> all = new ArrayList<>(more.length + 1);
    all.add(first);
    all.addAll(List.of(more));
    return all;
  }

  @Override
  public String toString() {
    return "RateLimiter[" + name() + ": " + limits() + ", " + keys() + " keys]";
  }

  /** The settings of a limiter; only a limit is required. */
  public static final class Builder {
    private final List<Limit> limits = new ArrayList<>();
    private List<Limit> overflow = List.of();
    private String name = "default";
    private long maxKeys = DEFAULT_MAX_KEYS;
    private TimeSource time = TimeSource.system();
    private @Nullable OnFailure onFailure;
    private Consistency consistency = Consistency.EXACT;
    private @Nullable Store store;

    private Builder() {}

    /** Adds a limit; a request has to pass all of them. */
    public Builder limit(Limit limit) {
      limits.add(Objects.requireNonNull(limit, "limit"));
      return this;
    }

    /** The limiter's name. A shared store identifies its buckets by it. */
    public Builder name(String name) {
      this.name = Objects.requireNonNull(name, "name");
      return this;
    }

    /** Where the buckets are kept; in memory by default. */
    public Builder store(Store store) {
      this.store = Objects.requireNonNull(store, "store");
      return this;
    }

    /** The clock of a local store; the system's by default. */
    public Builder time(TimeSource time) {
      this.time = Objects.requireNonNull(time, "time");
      return this;
    }

    /**
     * The most keys with something spent that are kept apart in this process, as far as those of
     * all limiters together fit into a third of the heap. Beyond that no bucket is dropped: new
     * keys share 1,024 overflow buckets. Keys that begin with addresses of one network (/24, /48)
     * share one of these.
     */
    public Builder maxKeys(long maxKeys) {
      this.maxKeys = maxKeys;
      return this;
    }

    /**
     * The limits of each overflow bucket, which new keys share while {@code maxKeys} are live: one
     * of the same algorithm and period for each limit. The same as the limits by default.
     */
    public Builder overflow(Limit... overflow) {
      this.overflow = List.of(overflow);
      return this;
    }

    /**
     * The decision when the store is unavailable. The default is {@link OnFailure#ALLOW}, or {@link
     * OnFailure#DENY} if the limiter is {@link Consistency#STRICT}. A local store is always
     * available.
     */
    public Builder onFailure(OnFailure onFailure) {
      this.onFailure = Objects.requireNonNull(onFailure, "onFailure");
      return this;
    }

    /**
     * What is guaranteed where several processes share the buckets; {@link Consistency#EXACT} by
     * default.
     */
    public Builder consistency(Consistency consistency) {
      this.consistency = Objects.requireNonNull(consistency, "consistency");
      return this;
    }

    /** Builds the limiter. */
    public RateLimiter build() {
      return new RateLimiter(this);
    }

    private Store.LimiterSpec limiterSpec() {
      return new Store.LimiterSpec(
          name,
          limits,
          overflow.isEmpty() ? limits : overflow,
          maxKeys,
          time,
          onFailure == null ? consistency.onFailure(OnFailure.ALLOW) : onFailure,
          consistency);
    }

    private Store openStore() {
      return store == null ? Store.memory() : store;
    }
  }
}
