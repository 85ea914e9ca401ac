package io.weir.client;

import io.weir.client.pace.DelayScheduler;

/**
 * The retry budget: a fraction of all requests may be retries, plus a few per second for low
 * request rates. With a fraction of 0.1, a server in trouble receives at most a tenth more
 * requests.
 */
final class RetryBudget {
  private static final double SECOND = 1e9;

  private final DelayScheduler time;
  private final double part;
  private final double aSecond;
  private final double max;
  private double left;
  private long last;

  RetryBudget(DelayScheduler time, double part, double aSecond) {
    this.time = time;
    this.part = part;
    this.aSecond = aSecond;
    max = part + aSecond > 0 ? Math.max(1, Math.max(10 * aSecond, 100 * part)) : 0;
    left = max;
    last = time.nanos();
  }

  /** Records the first attempt of a request. */
  synchronized void earn() {
    left = Math.min(max, left + part);
  }

  /** Takes one retry from the budget; returns whether there was one. */
  synchronized boolean spend() {
    long now = time.nanos();
    left = Math.min(max, left + Math.max(0, now - last) / SECOND * aSecond);
    last = now;
    if (left < 1) {
      return false;
    }
    left--;
    return true;
  }
}
