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
 */
final class Level {
  private static final double SECOND = 1e9;

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
    double elapsed = (now - toldAt) / SECOND;
    trend = follows && elapsed > 0 ? follow((said - left) / elapsed, elapsed, asks) : 0;
    double wait = quota.growsAfter().map(Level::nanos).orElse(0.0);
    learn(quota, said, wait / SECOND);
    boolean isLong = wait > SECOND * Math.max(1, Math.ceil(1 / refill));
    boolean isDry = !growing && (isLong || (dry && follows));
    if (isDry && isLong) { // rounded up to seconds, so that the earliest is nearest
      long until = now + (long) wait;
      dryUntil = dry && follows && dryUntil - until < 0 ? dryUntil : until;
    }
    dry = isDry;
    left = said;
    toldAt = now;
    known = true;
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
    left = 0;
    trend = 0;
    toldAt = now;
  }

  /** An answer that was overtaken is believed if it says that less is left. */
  void lower(double said, long now) {
    if (said <= left + grown(now)) {
      left = said;
      toldAt = now;
    }
  }

  boolean isKnown() {
    return known;
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
    return !known || (dry ? hasTurned(now) : left + grown(now) >= limit);
  }

  /** Nanoseconds until so many have come back, by what the server said. */
  double until(double missing, long now) {
    return dry ? dryUntil - now : Math.max(missing / refill * SECOND, 1e6);
  }

  /** Requests that the server last said are left. */
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
    return dry ? 0 : Math.max(0, Math.min(refill * (now - toldAt) / SECOND, limit - left));
  }

  /**
   * How many have come back of those that went since then: all was there when they did, or came
   * before these.
   */
  double grownBeyond(long then, long now) {
    if (dry) {
      return 0;
    }
    double full = (limit - left) / refill - (now - toldAt) / SECOND;
    return refill * Math.max(0, Math.min(-full, (now - then) / SECOND));
  }
}
