package io.weir.client;

import io.weir.client.pace.Clockwork;

/**
 * How many requests may be retries: a part of all, and a few a second for those who ask seldom. A
 * server in trouble then gets a tenth more requests, say, and not three times as many.
 */
final class Budget {
  private static final double SECOND = 1e9;

  private final Clockwork time;
  private final double part;
  private final double aSecond;
  private final double most;
  private double left;
  private long last;

  Budget(Clockwork time, double part, double aSecond) {
    this.time = time;
    this.part = part;
    this.aSecond = aSecond;
    most = part + aSecond > 0 ? Math.max(1, Math.max(10 * aSecond, 100 * part)) : 0;
    left = most;
    last = time.nanos();
  }

  /** A request goes for the first time. */
  synchronized void earn() {
    left = Math.min(most, left + part);
  }

  /** Whether one more may go again. */
  synchronized boolean spend() {
    long now = time.nanos();
    left = Math.min(most, left + Math.max(0, now - last) / SECOND * aSecond);
    last = now;
    if (left < 1) {
      return false;
    }
    left--;
    return true;
  }
}
