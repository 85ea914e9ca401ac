package io.weir.client.pace;

/**
 * The request rate of a client that shares a limit with others, set so that the rates of all add up
 * to the refill.
 *
 * <p>The rate rises by a fixed step while more is left than the reserve, and falls by a fraction of
 * itself while less is left. The sending rate follows the level at once: up to half more, down to
 * nearly nothing.
 *
 * <p>A sliding log gives back what was spent one window ago. Clients that follow its level repeat
 * every burst and every pause, larger each time. So under a <b>long</b> window no client goes
 * faster than a quarter above its share, nor slower than half its rate. Of 50 clients at 1000 in 10
 * s, 1 % were refused without that bound, and none are with it. The server reports such a window at
 * most a quarter too long (5 s may be a little over 4), so the bound costs other limits nothing.
 *
 * <p>Under a <b>short window</b> with a known end, what is left at the end is lost, so there is
 * almost no reserve. The rate is the one that uses the window up. With a tenth more left than with
 * even spending, it is a tenth higher until the end. That correction is doubled, because a client
 * with two requests per window learns of it late.
 */
final class AimdRate {
  /** Increase per window at full level, as a fraction of the refill. */
  private static final double STEP_UP = 0.01;

  /** Decrease per window at level 0, as a fraction of the rate. */
  private static final double STEP_DOWN = 0.5;

  /** Factor after a refusal. */
  private static final double STEP_BACK = 0.8;

  /** The smallest fraction of the rate that is sent. */
  private static final double MIN = 0.05;

  /** Seconds. */
  private static final double LONG_WINDOW = 5;

  private static final double MIN_OF_LONG = 0.5;

  private static final double MAX_OF_LONG = 1.25;

  /** Increase per second under a short window with a tenth too much left. */
  private static final double CYCLE_UP = 0.05;

  /** Step by which rates become equal, as a fraction of the refill. */
  private static final double CYCLE_STEP = 0.003;

  private static final double CYCLE_DOWN = 0.2;

  /** A deviation of a tenth of the limit from even spending counts as large. */
  private static final double MUCH_OF_CYCLE = 0.1;

  /** Fraction of the usual reserve: 2 of 100. */
  private static final double RESERVE_OF_CYCLE = 0.2;

  /** Fraction of the limit: this close to the end of a window, the rate is not changed further. */
  private static final double NEAR_END = 0.2;

  private static final double MIN_OF_CYCLE = 0.3;

  private static final double MAX_OF_CYCLE = 1.5;

  private final LimitEstimate limitEstimate;
  private final UsageShare usageShare;
  private double aSecond;

  AimdRate(LimitEstimate limitEstimate, UsageShare usageShare) {
    this.limitEstimate = limitEstimate;
    this.usageShare = usageShare;
  }

  boolean isSet() {
    return aSecond > 0;
  }

  /** Requests per second; zero unless set. */
  double aSecond() {
    return aSecond;
  }

  void forget() {
    aSecond = 0;
  }

  /** Applies a response that came {@code elapsed} seconds after the one before. */
  void steer(double elapsed, boolean wasDry) {
    if (usageShare.samples() == 0) {
      return;
    }
    if (aSecond == 0 || limitEstimate.isDry()) {
      aSecond = usageShare.part() * limitEstimate.refill();
    } else if (limitEstimate.isCyclic()) {
      steerInCycle(elapsed);
    } else if (!wasDry) {
      double horizon = Math.max(Math.max(limitEstimate.window(), 1), 4 / aSecond);
      double step = surplus() * Math.min(1, elapsed / horizon);
      aSecond =
          step > 0
              ? aSecond + STEP_UP * limitEstimate.refill() * step
              : aSecond * (1 + STEP_DOWN * step);
    }
    aSecond = Math.max(aSecond, limitEstimate.refill() * 1e-5);
  }

  private void steerInCycle(double elapsed) {
    double much = spare() / (MUCH_OF_CYCLE * limitEstimate.limit());
    double step = Math.max(-1, Math.min(1, much)) * Math.min(2, elapsed);
    aSecond =
        step > 0
            ? aSecond * (1 + CYCLE_UP * step) + CYCLE_STEP * limitEstimate.refill() * step
            : aSecond * (1 + CYCLE_DOWN * step);
  }

  /** What is left of a window beyond even spending and the reserve. */
  private double spare() {
    return limitEstimate.left() - RESERVE_OF_CYCLE * reserve();
  }

  /** Applies a refusal. */
  void stepBack() {
    aSecond = aSecond == 0 ? limitEstimate.refill() / 50 : aSecond * STEP_BACK;
  }

  /** The rate to use now. */
  double steered() {
    if (limitEstimate.isCyclic()) {
      double more = 2 * spare() / Math.max(limitEstimate.even(), NEAR_END * limitEstimate.limit());
      return aSecond * Math.max(MIN_OF_CYCLE, Math.min(MAX_OF_CYCLE, 1 + more));
    }
    double surplus = surplus();
    boolean isLong = limitEstimate.window() >= LONG_WINDOW;
    double min = isLong ? MIN_OF_LONG : MIN;
    double steered = aSecond * (surplus > 0 ? 1 + surplus / 2 : Math.max(min, 1 + surplus));
    return isLong
        ? Math.min(steered, MAX_OF_LONG * usageShare.part() * limitEstimate.refill())
        : steered;
  }

  /** From -1, nothing left, over 0, the reserve, to 1. */
  private double surplus() {
    double expected = limitEstimate.left() + Math.min(0, limitEstimate.trend()) / aSecond;
    return Math.max(-1, Math.min(1, (expected - reserve()) / reserve()));
  }

  /**
   * What should stay unused. The request count of many clients deviates from its mean by about the
   * square root. For a limit with a window too short to be reported, a quarter costs nothing.
   */
  double reserve() {
    double quarter = limitEstimate.limit() / 4;
    return Math.max(
        1,
        limitEstimate.hasWindow() ? Math.min(Math.sqrt(limitEstimate.limit()), quarter) : quarter);
  }
}
