package io.weir.client.pace;

import io.weir.client.quota.Quota;
import java.time.Duration;

/**
 * How many permits of a limit are left, from the server's last response, and how that changes with
 * time.
 *
 * <p>A client sees two kinds of limits. Some refill continuously: a token bucket, or a sliding
 * window that is used evenly. Others are <i>dry</i>: nothing comes back before a known moment, and
 * then much does. The refill time distinguishes them. A limit of 100 in 10 s that refills
 * continuously has more within 0.1 s, reported as 1 s. One that reports 7 s is dry. A limit that
 * grows before the reported moment is never again treated as dry.
 *
 * <p>Short windows are a third kind. Whole seconds cannot show which of the two they are, but their
 * ends can be found ({@link WindowDetector}). For a window with a known end, the level here is the
 * surplus over even spending: with 60 of 100 left and half of the time to go, it is 10. For pacing,
 * that behaves like a bucket: it fills continuously and is steady while spending equals refill.
 */
final class LimitEstimate {
  private static final double SECOND = 1e9;

  /** Longer windows report early enough that they are dry. */
  private static final Duration MAX_CYCLE = Duration.ofSeconds(5);

  private final WindowDetector windowDetector = new WindowDetector();

  private boolean known;
  private double limit;
  private boolean hasWindow;
  private double refill;
  private double left;
  private double trend;
  private boolean growing;
  private boolean dry;
  private long dryUntil;
  private long updatedAt;
  private long updateSentAt;
  private boolean cyclic;
  private long ends;
  private double rest;
  private long restAt;

  /**
   * Applies a response to a request sent at {@code sentAt}.
   *
   * @param remaining how many the server reports as left
   * @param requestRate requests per second of this client: the trend is averaged over about two of
   *     them
   */
  void update(Quota quota, double remaining, double requestRate, long sentAt, long now) {
    boolean turned = hasTurned(now);
    boolean follows = known && !turned;
    if (follows && dry && sentAt - updatedAt > 0 && remaining > left && dryUntil - now > SECOND) {
      growing = true;
    }
    boolean goesOn = follows && !(cyclic && hasEnded(now));
    detectWindow(quota, remaining, sentAt, now);
    boolean wasCyclic = cyclic;
    cyclic = windowDetector.isKnown();
    double ahead = remaining;
    double counted = remaining;
    if (cyclic) { // the order in which the server counted requests in flight is unknown
      boolean isInDoubt = wasCyclic && goesOn && sentAt - restAt < 0;
      counted = isInDoubt ? Math.min(remaining, rest) : remaining;
      ahead = ahead(counted, now);
    }
    double elapsed = (now - updatedAt) / SECOND;
    trend =
        goesOn && cyclic == wasCyclic && elapsed > 0
            ? follow((ahead - left) / elapsed, elapsed, requestRate)
            : 0;
    double wait = quota.growsAfter().map(LimitEstimate::nanos).orElse(0.0);
    learn(quota, remaining, wait / SECOND);
    boolean isLong = wait > SECOND * Math.max(1, Math.ceil(1 / refill));
    boolean isDry = !cyclic && !growing && (isLong || (dry && follows));
    if (isDry && isLong) { // rounded up to seconds, so the earliest is the most exact
      long until = now + (long) wait;
      dryUntil = dry && follows && dryUntil - until < 0 ? dryUntil : until;
    }
    dry = isDry;
    left = ahead;
    rest = counted;
    restAt = now;
    updatedAt = now;
    updateSentAt = sentAt;
    known = true;
  }

  private void detectWindow(Quota quota, double remaining, long sentAt, long now) {
    Duration window = quota.window().orElse(Duration.ZERO);
    boolean isShort = window.compareTo(MAX_CYCLE) <= 0;
    windowDetector.expect(isShort ? window.toNanos() : 0, now);
    if (windowDetector.period() == 0) {
      return;
    }
    if (known && sentAt - restAt >= 0 && remaining >= rest) {
      windowDetector.gaveBack(remaining - rest, limit, updateSentAt, now);
    }
    if (window.toSeconds() > 1) {
      quota
          .growsAfter()
          .ifPresent(wait -> windowDetector.givesBackAfter(wait.toNanos(), sentAt, now));
    }
  }

  /** How much more is left than with even spending. */
  private double ahead(double remaining, long now) {
    ends = windowDetector.endAfter(now);
    long expected =
        ends - windowDetector.slack() / 3; // an estimate that is too late only spends less
    return remaining - limit * (expected - now) / windowDetector.period();
  }

  private double follow(double slope, double elapsed, double requestRate) {
    return trend + Math.min(1, elapsed * requestRate / 2) * (slope - trend);
  }

  private void learn(Quota quota, double remaining, double wait) {
    limit = Math.max(1, quota.limit().isPresent() ? quota.limit().getAsLong() : remaining + 1);
    hasWindow = quota.window().isPresent();
    double window = quota.window().map(LimitEstimate::nanos).orElse(SECOND) / SECOND;
    if (hasWindow || wait <= 1) {
      refill = limit / window; // the server reports nothing shorter than a second
    } else {
      refill = Math.max(growing ? limit - remaining : limit, 1) / wait;
    }
  }

  private static double nanos(Duration span) {
    return span.toNanos();
  }

  /** Applies a refusal: nothing is left. */
  void empty(Quota quota, long now) {
    if (quota.limit().isPresent()) {
      learn(quota, 0, quota.growsAfter().map(LimitEstimate::nanos).orElse(0.0) / SECOND);
      known = true;
    }
    left = cyclic ? ahead(0, now) : 0;
    rest = 0;
    restAt = now;
    trend = 0;
    updatedAt = now;
    updateSentAt = now;
  }

  /** Applies a response that a later one overtook: it counts only if it reports less. */
  void lower(double remaining, long now) {
    if (cyclic) {
      if (!hasEnded(now) && remaining < rest) {
        left -= rest - remaining;
        rest = remaining;
        restAt = now;
      }
    } else if (remaining <= left + grown(now)) {
      left = remaining;
      updatedAt = now;
    }
  }

  boolean isKnown() {
    return known;
  }

  /** Whether it is a window with a known end. */
  boolean isCyclic() {
    return cyclic;
  }

  /** Whether the window of the server's last response is over. */
  private boolean hasEnded(long now) {
    return now - ends >= 0;
  }

  /** Nanoseconds from one window end to the next. */
  long period() {
    return windowDetector.period();
  }

  /**
   * What all clients spent since the server's last response, or since the start of a window after
   * it.
   */
  double spent(double remaining, long now) {
    if (cyclic) {
      return hasEnded(now) ? limit - remaining : rest - remaining;
    }
    return left - remaining + grown(now);
  }

  /** What was spent, by an overtaken response, before the last one. */
  double overtaken(double remaining, long now) {
    return cyclic ? (hasEnded(now) ? 0 : rest - remaining) : left - remaining;
  }

  /** Whether nothing comes back before {@link #dryUntil}. */
  boolean isDry() {
    return dry;
  }

  long dryUntil() {
    return dryUntil;
  }

  /** Whether the state is out of date: a dry limit has refilled since, by an unknown amount. */
  boolean hasTurned(long now) {
    return known && dry && now - dryUntil >= 0;
  }

  /** Whether everything spent before the last response has come back. */
  boolean isOver(long now) {
    if (!known || cyclic) {
      return !known || hasEnded(now);
    }
    return dry ? hasTurned(now) : left + grown(now) >= limit;
  }

  /** Nanoseconds until {@code missing} permits have come back, by the server's report. */
  double until(double missing, long now) {
    if (cyclic) {
      return Math.max(ends - now, 1e6);
    }
    return dry ? dryUntil - now : Math.max(missing / refill * SECOND, 1e6);
  }

  /** How many are left now, if no other client has spent any. */
  double rest(long now) {
    if (cyclic) {
      return hasEnded(now) ? limit : rest;
    }
    return left + grown(now);
  }

  /** What would have been left of the window at the last response, with even spending. */
  double even() {
    return rest - left;
  }

  /**
   * How many the server last reported as left; for a window with a known end, the surplus over even
   * spending.
   */
  double left() {
    return left;
  }

  double limit() {
    return limit;
  }

  /** Permits per second that come back, at least. */
  double refill() {
    return refill;
  }

  /** Whether the server reported the length of its window. It does not for less than a second. */
  boolean hasWindow() {
    return hasWindow;
  }

  /** The length of the window in seconds. */
  double window() {
    return limit / refill;
  }

  /** The recent change of the level per second. */
  double trend() {
    return trend;
  }

  long updatedAt() {
    return updatedAt;
  }

  /** How many have come back since the server's last response. */
  double grown(long now) {
    if (cyclic) {
      return refill * (now - updatedAt) / SECOND;
    }
    return dry ? 0 : Math.max(0, Math.min(refill * (now - updatedAt) / SECOND, limit - left));
  }

  /**
   * How many have come back that can cover requests sent since {@code then}. What came back
   * earlier, or before the bucket had to be full, does not count.
   */
  double grownBeyond(long then, long now) {
    if (dry || cyclic) {
      return 0;
    }
    double full = (limit - left) / refill - (now - updatedAt) / SECOND;
    return refill * Math.max(0, Math.min(-full, (now - then) / SECOND));
  }
}
