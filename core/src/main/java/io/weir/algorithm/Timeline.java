package io.weir.algorithm;

/**
 * A stretch of time, 2⁴² milliseconds (139 years) long, on which the moments of one limiter are
 * small non-negative numbers. Immutable.
 */
public final class Timeline {
  /*
   * Its middle is the first moment that the limiter sees, so any clock will do: one that starts at
   * zero, at the epoch, or at Long.MIN_VALUE. Everything is kept as ticks since the start, which
   * leaves the upper bits of a word free. Zero lies before all real moments: a word of zero is an
   * untouched bucket.
   */

  /** In milliseconds. */
  public static final long LENGTH = 1L << 42;

  private static final long HALF = LENGTH / 2;

  /** The middle of a recording's timeline: 2030. It reaches from 1961 to 2099. */
  private static final long MIDDLE_OF_RECORDINGS = 1_893_456_000_000L;

  private final long origin;
  private final boolean isRecorded;

  /** A timeline around {@code origin}, in milliseconds since the epoch. */
  public Timeline(long origin) {
    this(origin, false);
  }

  private Timeline(long origin, boolean isRecorded) {
    this.origin = origin;
    this.isRecorded = isRecorded;
  }

  /**
   * The timeline of a recording, in which times go back and forth. It is the same whichever time
   * comes first.
   */
  public static Timeline ofRecording() {
    return new Timeline(MIDDLE_OF_RECORDINGS, true);
  }

  /**
   * The timeline that starts at the epoch and ends in 2109. It is the same in every process, for
   * stores that several of them share. Its moments are milliseconds since the epoch.
   */
  public static Timeline ofEpoch() {
    return new Timeline(HALF);
  }

  /** Whether times may go back for a key. */
  boolean isRecorded() {
    return isRecorded;
  }

  /**
   * Milliseconds since the start.
   *
   * @throws IllegalArgumentException if the moment lies off the timeline
   */
  public long millis(long epochMillis) {
    // A wrapped difference is caught below: it is off by 2^64, far more than the timeline's length.
    long millis = epochMillis - origin + HALF;
    if (millis <= 0 || millis >= LENGTH) {
      throw new IllegalArgumentException(
          "time "
              + epochMillis
              + " ms is more than 69 years from the first time seen, "
              + origin
              + " ms");
    }
    return millis;
  }

  /** Like {@link #millis}, with moments off the timeline moved to its end or start. */
  long clampedMillis(long epochMillis) {
    long millis = epochMillis - origin + HALF;
    if (millis > 0 && millis < LENGTH) {
      return millis;
    }
    return epochMillis < origin ? 1 : LENGTH - 1;
  }

  /** The moment that is {@code millis} after the start, in milliseconds since the epoch. */
  long epochMillis(long millis) {
    return millis - HALF + origin;
  }

  /**
   * How far into a cycle of {@code period} milliseconds, counted from the epoch, the start lies.
   */
  long phase(long period) {
    return Math.floorMod(Math.floorMod(origin, period) - Math.floorMod(HALF, period), period);
  }

  /** The end in milliseconds since the epoch, or the latest moment that fits in a long. */
  public long lastEpochMillis() {
    return origin > Long.MAX_VALUE - HALF ? Long.MAX_VALUE : origin + HALF - 1;
  }

  /** The start in milliseconds since the epoch, or the earliest moment that fits in a long. */
  long earliestEpochMillis() {
    return origin < Long.MIN_VALUE + HALF ? Long.MIN_VALUE : origin - HALF;
  }
}
