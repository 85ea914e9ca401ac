package io.weir.client.pace;

import io.weir.client.quota.Quota;
import java.time.Duration;

/**
 * How full a limit is, by what the server said last, and how that goes on.
 *
 * <p>Limits are of two kinds to a caller. Some give back all the time: a token bucket, or a sliding
 * window that is used evenly. Others are <i>dry</i>: nothing comes back before a moment that is
 * known, and then much does. They are told apart by when there is more: a limit that gives 100 in
 * 10 s has more within 0.1 s, told as 1 s, if it gives back all the time. One that says 7 s is dry.
 * Should it turn out to have grown before that, it is never again taken for dry.
 *
 * <p>Short windows are a third kind: which of the two they are cannot be told by whole seconds, but
 * their ends can be found ({@link Cycle}). Of a window whose end is known, what is told here is how
 * much more is left than there would be if all were spent evenly: 60 left of 100 with half of the
 * time to go are 10. To those who pace themselves by it, that is a bucket: it fills all the time,
 * and is steady where as much is spent as comes back.
 */
final class Level {
  private static final double SECOND = 1e9;

  /** Longer windows say soon enough that they are dry. */
  private static final Duration LONGEST_CYCLE = Duration.ofSeconds(5);

  private final Cycle cycle = new Cycle();

  private boolean known;
  private double limit;
  private boolean hasWindow;
  private double refill;
  private double left;
  private double trend;
  private boolean growing;
  private boolean dry;
  private long dryUntil;
  private long toldAt;
  private long toldSentAt;
  private boolean cyclic;
  private long ends;
  private double rest;
  private long restAt;

  /**
   * What the server said, in an answer to a request sent at {@code sentAt}.
   *
   * @param said that so many are left
   * @param asks of this client, a second: the trend is that of about two of them
   */
  void tell(Quota quota, double said, double asks, long sentAt, long now) {
    boolean turned = hasTurned(now);
    boolean follows = known && !turned;
    if (follows && dry && sentAt - toldAt > 0 && said > left && dryUntil - now > SECOND) {
      growing = true;
    }
    boolean goesOn = follows && !(cyclic && hasEnded(now));
    observe(quota, said, sentAt, now);
    boolean wasCyclic = cyclic;
    cyclic = cycle.isKnown();
    double ahead = said;
    double counted = said;
    if (cyclic) { // of requests in flight together, nobody knows which was counted first
      boolean isInDoubt = wasCyclic && goesOn && sentAt - restAt < 0;
      counted = isInDoubt ? Math.min(said, rest) : said;
      ahead = ahead(counted, now);
    }
    double elapsed = (now - toldAt) / SECOND;
    trend =
        goesOn && cyclic == wasCyclic && elapsed > 0
            ? follow((ahead - left) / elapsed, elapsed, asks)
            : 0;
    double wait = quota.growsAfter().map(Level::nanos).orElse(0.0);
    learn(quota, said, wait / SECOND);
    boolean isLong = wait > SECOND * Math.max(1, Math.ceil(1 / refill));
    boolean isDry = !cyclic && !growing && (isLong || (dry && follows));
    if (isDry && isLong) { // rounded up to seconds, so that the earliest is nearest
      long until = now + (long) wait;
      dryUntil = dry && follows && dryUntil - until < 0 ? dryUntil : until;
    }
    dry = isDry;
    left = ahead;
    rest = counted;
    restAt = now;
    toldAt = now;
    toldSentAt = sentAt;
    known = true;
  }

  private void observe(Quota quota, double said, long sentAt, long now) {
    Duration window = quota.window().orElse(Duration.ZERO);
    boolean isShort = window.compareTo(LONGEST_CYCLE) <= 0;
    cycle.expect(isShort ? window.toNanos() : 0, now);
    if (cycle.period() == 0) {
      return;
    }
    if (known && sentAt - restAt >= 0 && said >= rest) {
      cycle.gaveBack(said - rest, limit, toldSentAt, now);
    }
    if (window.toSeconds() > 1) {
      quota.growsAfter().ifPresent(wait -> cycle.givesBackAfter(wait.toNanos(), sentAt, now));
    }
  }

  /** How much more is left than by an even spending. */
  private double ahead(double said, long now) {
    ends = cycle.endAfter(now);
    long expected = ends - cycle.slack() / 3; // who takes it for later than it is spends less
    return said - limit * (expected - now) / cycle.period();
  }

  private double follow(double slope, double elapsed, double asks) {
    return trend + Math.min(1, elapsed * asks / 2) * (slope - trend);
  }

  private void learn(Quota quota, double said, double wait) {
    limit = Math.max(1, quota.limit().isPresent() ? quota.limit().getAsLong() : said + 1);
    hasWindow = quota.window().isPresent();
    double window = quota.window().map(Level::nanos).orElse(SECOND) / SECOND;
    if (hasWindow || wait <= 1) {
      refill = limit / window; // of less than a second, nothing is said
    } else {
      refill = Math.max(growing ? limit - said : limit, 1) / wait;
    }
  }

  private static double nanos(Duration span) {
    return span.toNanos();
  }

  /** A request was refused: nothing is left. */
  void empty(Quota quota, long now) {
    if (quota.limit().isPresent()) {
      learn(quota, 0, quota.growsAfter().map(Level::nanos).orElse(0.0) / SECOND);
      known = true;
    }
    left = cyclic ? ahead(0, now) : 0;
    rest = 0;
    restAt = now;
    trend = 0;
    toldAt = now;
    toldSentAt = now;
  }

  /** An answer that was overtaken is believed if it says that less is left. */
  void lower(double said, long now) {
    if (cyclic) {
      if (!hasEnded(now) && said < rest) {
        left -= rest - said;
        rest = said;
        restAt = now;
      }
    } else if (said <= left + grown(now)) {
      left = said;
      toldAt = now;
    }
  }

  boolean isKnown() {
    return known;
  }

  /** Whether it is a window whose end is known. */
  boolean isCyclic() {
    return cyclic;
  }

  /** Whether the window that the server last spoke of is over. */
  private boolean hasEnded(long now) {
    return now - ends >= 0;
  }

  /** Nanoseconds from one end to the next. */
  long period() {
    return cycle.period();
  }

  /** What everybody spent since the server spoke, or since a window began after that. */
  double spent(double said, long now) {
    if (cyclic) {
      return hasEnded(now) ? limit - said : rest - said;
    }
    return left - said + grown(now);
  }

  /** Requests that an answer that was overtaken says were spent before the last one. */
  double overtaken(double said, long now) {
    return cyclic ? (hasEnded(now) ? 0 : rest - said) : left - said;
  }

  /** Whether nothing comes back before {@link #dryUntil}. */
  boolean isDry() {
    return dry;
  }

  long dryUntil() {
    return dryUntil;
  }

  /** Whether what was known has been overtaken: much has come back since, nobody knows how much. */
  boolean hasTurned(long now) {
    return known && dry && now - dryUntil >= 0;
  }

  /** Whether all has come back that was spent before the server spoke. */
  boolean isOver(long now) {
    if (!known || cyclic) {
      return !known || hasEnded(now);
    }
    return dry ? hasTurned(now) : left + grown(now) >= limit;
  }

  /** Nanoseconds until so many have come back, by what the server said. */
  double until(double missing, long now) {
    if (cyclic) {
      return Math.max(ends - now, 1e6);
    }
    return dry ? dryUntil - now : Math.max(missing / refill * SECOND, 1e6);
  }

  /** Requests that are left now, if nobody else has spent any. */
  double rest(long now) {
    if (cyclic) {
      return hasEnded(now) ? limit : rest;
    }
    return left + grown(now);
  }

  /** What would be left of a window, when the server spoke, if all were spent evenly. */
  double even() {
    return rest - left;
  }

  /** Requests that the server last said are left; of a window, more than by an even spending. */
  double left() {
    return left;
  }

  double limit() {
    return limit;
  }

  /** Requests a second that come back, at least. */
  double refill() {
    return refill;
  }

  /** Whether the server said how long its window is. One of less than a second is not said. */
  boolean hasWindow() {
    return hasWindow;
  }

  /** Of the window, seconds. */
  double window() {
    return limit / refill;
  }

  /** How many are left more or fewer each second, of late. */
  double trend() {
    return trend;
  }

  long toldAt() {
    return toldAt;
  }

  /** How many have come back since the server spoke. */
  double grown(long now) {
    if (cyclic) {
      return refill * (now - toldAt) / SECOND;
    }
    return dry ? 0 : Math.max(0, Math.min(refill * (now - toldAt) / SECOND, limit - left));
  }

  /**
   * How many have come back of those that went since then: all was there when they did, or came
   * before these.
   */
  double grownBeyond(long then, long now) {
    if (dry || cyclic) {
      return 0;
    }
    double full = (limit - left) / refill - (now - toldAt) / SECOND;
    return refill * Math.max(0, Math.min(-full, (now - then) / SECOND));
  }
}
