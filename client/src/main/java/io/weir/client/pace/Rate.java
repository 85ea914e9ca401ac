package io.weir.client.pace;

/**
 * How often a client asks where others spend from the same limit, so that together they ask as
 * often as something comes back.
 *
 * <p>The rate rises by a fixed step while more is left than the reserve, and falls by a part of
 * itself while less is. What is sent follows the level at once: up to half more, down to next to
 * nothing.
 *
 * <p>A sliding log gives back what was spent a window ago: those who follow its level make every
 * burst and every pause come again, larger each time. So under a <b>long</b> window nobody goes
 * faster than a quarter above its share, nor slower than half its rate. Of 50 clients at 1000 in 10
 * s, 1 % were refused before that, and none are since. As such a window is told at most a quarter
 * too long (5 s may be a little over 4), it costs no other limit anything.
 *
 * <p>Under a <b>short window</b> whose end is known, what is left at its end is lost, so that there
 * is next to no reserve. What is sent is what would use it up: with a tenth more left than by an
 * even spending, a tenth more until the end, and twice that, since those who ask twice in a window
 * hear of it late.
 */
final class Rate {
  /** What it adds in a window at full level, as a part of what comes back. */
  private static final double STEP_UP = 0.01;

  /** What it takes off in a window at level 0. */
  private static final double STEP_DOWN = 0.5;

  /** After a refusal. */
  private static final double STEP_BACK = 0.8;

  /** The least part of its rate that is sent. */
  private static final double LEAST = 0.05;

  /** Seconds. */
  private static final double LONG_WINDOW = 5;

  private static final double LEAST_OF_LONG = 0.5;

  private static final double MOST_OF_LONG = 1.25;

  /** What the rate rises by in a second under a short window of which a tenth is too much. */
  private static final double CYCLE_UP = 0.05;

  /** And that rates become alike by, as a part of what comes back. */
  private static final double CYCLE_STEP = 0.003;

  private static final double CYCLE_DOWN = 0.2;

  /** A tenth of the limit more or less than evenly is much. */
  private static final double MUCH_OF_CYCLE = 0.1;

  /** Of the usual reserve: 2 of 100. */
  private static final double RESERVE_OF_CYCLE = 0.2;

  /** Of the limit: so near to the end of a window, what is sent is not changed further. */
  private static final double NEAR_END = 0.2;

  private static final double LEAST_OF_CYCLE = 0.3;

  private static final double MOST_OF_CYCLE = 1.5;

  private final Level level;
  private final Share share;
  private double aSecond;

  Rate(Level level, Share share) {
    this.level = level;
    this.share = share;
  }

  boolean isSet() {
    return aSecond > 0;
  }

  /** Requests; zero unless set. */
  double aSecond() {
    return aSecond;
  }

  void forget() {
    aSecond = 0;
  }

  /** The server spoke, so many seconds after it did last. */
  void steer(double elapsed, boolean wasDry) {
    if (share.samples() == 0) {
      return;
    }
    if (aSecond == 0 || level.isDry()) {
      aSecond = share.part() * level.refill();
    } else if (level.isCyclic()) {
      steerInCycle(elapsed);
    } else if (!wasDry) {
      double horizon = Math.max(Math.max(level.window(), 1), 4 / aSecond);
      double step = surplus() * Math.min(1, elapsed / horizon);
      aSecond =
          step > 0 ? aSecond + STEP_UP * level.refill() * step : aSecond * (1 + STEP_DOWN * step);
    }
    aSecond = Math.max(aSecond, level.refill() * 1e-5);
  }

  private void steerInCycle(double elapsed) {
    double much = spare() / (MUCH_OF_CYCLE * level.limit());
    double step = Math.max(-1, Math.min(1, much)) * Math.min(2, elapsed);
    aSecond =
        step > 0
            ? aSecond * (1 + CYCLE_UP * step) + CYCLE_STEP * level.refill() * step
            : aSecond * (1 + CYCLE_DOWN * step);
  }

  /** What is left of a window beyond an even spending, and beyond what is to be left. */
  private double spare() {
    return level.left() - RESERVE_OF_CYCLE * reserve();
  }

  /** A request was refused. */
  void stepBack() {
    aSecond = aSecond == 0 ? level.refill() / 50 : aSecond * STEP_BACK;
  }

  /** The rate as it is to be right now. */
  double steered() {
    if (level.isCyclic()) {
      double more = 2 * spare() / Math.max(level.even(), NEAR_END * level.limit());
      return aSecond * Math.max(LEAST_OF_CYCLE, Math.min(MOST_OF_CYCLE, 1 + more));
    }
    double surplus = surplus();
    boolean isLong = level.window() >= LONG_WINDOW;
    double least = isLong ? LEAST_OF_LONG : LEAST;
    double steered = aSecond * (surplus > 0 ? 1 + surplus / 2 : Math.max(least, 1 + surplus));
    return isLong ? Math.min(steered, MOST_OF_LONG * share.part() * level.refill()) : steered;
  }

  /** From -1, nothing left, by 0, as much as there should be, to 1. */
  private double surplus() {
    double expected = level.left() + Math.min(0, level.trend()) / aSecond;
    return Math.max(-1, Math.min(1, (expected - reserve()) / reserve()));
  }

  /**
   * What is to be left. The requests of many clients differ from their mean by about the root; of a
   * limit whose window is short enough not to be told, a quarter costs nothing.
   */
  double reserve() {
    double quarter = level.limit() / 4;
    return Math.max(1, level.hasWindow() ? Math.min(Math.sqrt(level.limit()), quarter) : quarter);
  }
}
