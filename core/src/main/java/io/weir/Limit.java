package io.weir;

import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Objects;

/**
 * How many permits are allowed per period, and by which algorithm. Immutable, and validated when it
 * is built.
 *
 * <pre>{@code
 * Limit.tokenBucket(10).perSecond().burst(100)
 * Limit.slidingLog(3).per(Duration.ofSeconds(10))
 * Limit.fixedWindow(1000).perDay().zone(ZoneId.of("Europe/Paris"))
 * }</pre>
 *
 * <p>Every limit that can be built is decided exactly, in integers, by every store. The range is:
 *
 * <ul>
 *   <li>permits from 0 to {@link #MAX_PERMITS} (2³¹); bursts likewise from 1, queues from 0;
 *   <li>periods from one millisecond to {@link #MAX_PERIOD} (50 years), in whole milliseconds;
 *   <li>a bucket fills up within {@link #MAX_PERIOD}: {@code burst × period / permits};
 *   <li>a bucket holds at least what flows into it in two microseconds, because a microsecond is
 *       the finest tick that every store has.
 * </ul>
 *
 * <p>A limit of zero permits refuses everything.
 */
public sealed interface Limit {
  /** The most permits that a limit may have: 2³¹. */
  long MAX_PERMITS = 1L << 31;

  /** The longest period of a limit: 50 years of 365.25 days. */
  Duration MAX_PERIOD = Duration.ofHours(50L * 8766);

  /** The most epochs that a sliding-epochs limit may have. */
  int MAX_EPOCHS = 1000;

  /** How many permits are given per period. */
  long permits();

  /**
   * The period in which {@link #permits} are given. A calendar unit varies and has its usual
   * length: 1, 7, 30 or 365 days.
   */
  Duration period();

  /** The most permits that can be taken at one moment; a greater cost never fits. */
  long capacity();

  /**
   * The tick in which every store counts this limit's time. It is a microsecond for a small bucket
   * into which more than one permit flows per millisecond, and a millisecond otherwise.
   */
  default Duration tick() {
    return Duration.ofMillis(1);
  }

  /** Whether refused requests count like granted ones. */
  default boolean countRejected() {
    return false;
  }

  /**
   * Whether permits can be taken in advance. Not for a leaky bucket, where permits are places in
   * time, and not where the store has to record refused requests.
   */
  default boolean isLeasable() {
    return !countRejected();
  }

  /** The time after which nothing that was taken counts any more. */
  Duration memory();

  /** The algorithm's name in rule files: {@code token-bucket}, {@code sliding-log} and so on. */
  String algorithm();

  /**
   * Whether the buckets of {@code other} mean the same as this limit's, because algorithm and
   * period are the same. What was spent is kept when one limit replaces the other.
   */
  boolean sharesBucketsWith(Limit other);

  /** Bursts of up to {@code burst} permits, and {@code permits} per period in the long run. */
  static Per<TokenBucket> tokenBucket(long permits) {
    return per -> new TokenBucket(permits, per, permits);
  }

  /** A queue that releases {@code permits} per period, evenly spaced; a full queue refuses. */
  static Per<LeakyBucket> leakyBucket(long permits) {
    return per -> new LeakyBucket(permits, per, LimitValidation.queue(permits, per));
  }

  /** {@code permits} in each window; windows start at round clock times. */
  static FixedWindow.Per fixedWindow(long permits) {
    return span -> new FixedWindow(permits, span, ZoneOffset.UTC);
  }

  /** At most {@code permits} in any period, exactly. */
  static Per<SlidingLog> slidingLog(long permits) {
    return per -> new SlidingLog(permits, per, false);
  }

  /** This window's count, plus the previous one's weighted by its overlap. */
  static Per<SlidingWindow> slidingWindow(long permits) {
    return per -> new SlidingWindow(permits, per);
  }

  /** The period as a row of epochs with a counter each; the counters are summed. */
  static Per<SlidingEpochs> slidingEpochs(long permits) {
    return per -> new SlidingEpochs(permits, per, 10, false);
  }

  /** The second half of building a limit: the period in which its permits are given. */
  @FunctionalInterface
  interface Per<L extends Limit> {
    /** The limit with its permits per {@code period}. */
    L per(Duration period);

    /** Per second. */
    default L perSecond() {
      return per(Duration.ofSeconds(1));
    }

    /** Per minute. */
    default L perMinute() {
      return per(Duration.ofMinutes(1));
    }

    /** Per hour. */
    default L perHour() {
      return per(Duration.ofHours(1));
    }

    /** Per 24 hours. */
    default L perDay() {
      return per(Duration.ofDays(1));
    }
  }

  /**
   * A token bucket: starts full with {@code burst} permits and is refilled at {@code permits} per
   * {@code period}; what overflows is lost. Allows at most {@code burst + T × permits / period} in
   * any interval of length T.
   */
  record TokenBucket(long permits, Duration period, long burst) implements Limit {
    /** Checks the range. */
    public TokenBucket {
      LimitValidation.permits(permits);
      LimitValidation.period(period);
      if (permits == 0 && burst != 0) {
        throw new IllegalArgumentException(
            "burst " + burst + " makes no sense with 0 permits: the bucket is never filled");
      }
      LimitValidation.bucket("burst", permits == 0 ? 1 : burst, 1, MAX_PERMITS, permits, period, 0);
    }

    /** The same limit with room for {@code burst} permits. */
    public TokenBucket burst(long burst) {
      return new TokenBucket(permits, period, burst);
    }

    @Override
    public long capacity() {
      return permits == 0 ? 0 : burst;
    }

    @Override
    public Duration tick() {
      return LimitValidation.bucketTick(capacity(), permits, period);
    }

    @Override
    public Duration memory() {
      return LimitValidation.fillTime(capacity(), permits, period);
    }

    @Override
    public String algorithm() {
      return "token-bucket";
    }

    @Override
    public boolean sharesBucketsWith(Limit other) {
      return other instanceof TokenBucket that && period.equals(that.period);
    }

    @Override
    public String toString() {
      return algorithm()
          + " "
          + permits
          + " per "
          + LimitValidation.text(period)
          + ", burst "
          + burst;
    }
  }

  /**
   * A leaky bucket: requests leave one by one, {@code period / permits} apart. Up to {@code queue}
   * requests wait for their turn; the rest are refused. The decision has the delay.
   */
  record LeakyBucket(long permits, Duration period, long queue) implements Limit {
    /** Checks the range. */
    public LeakyBucket {
      LimitValidation.permits(permits);
      LimitValidation.period(period);
      LimitValidation.bucket(
          "queue", permits == 0 ? 0 : queue, 0, MAX_PERMITS - 1, permits, period, 1);
    }

    /** The same limit with a queue of {@code queue} requests. */
    public LeakyBucket queue(long queue) {
      return new LeakyBucket(permits, period, queue);
    }

    @Override
    public long capacity() {
      return permits == 0 ? 0 : queue + 1;
    }

    @Override
    public Duration tick() {
      return LimitValidation.bucketTick(capacity(), permits, period);
    }

    @Override
    public Duration memory() {
      return LimitValidation.fillTime(capacity(), permits, period);
    }

    @Override
    public String algorithm() {
      return "leaky-bucket";
    }

    @Override
    public boolean sharesBucketsWith(Limit other) {
      return other instanceof LeakyBucket that && period.equals(that.period);
    }

    @Override
    public boolean isLeasable() {
      return false;
    }

    @Override
    public String toString() {
      return algorithm()
          + " "
          + permits
          + " per "
          + LimitValidation.text(period)
          + ", queue "
          + queue;
    }
  }

  /**
   * A fixed window: {@code permits} in each window, counted from zero at its start. Allows up to
   * twice that in a period that straddles an edge.
   *
   * @param zone the time zone of calendar windows; no effect on windows of fixed length
   */
  record FixedWindow(long permits, Span span, ZoneId zone) implements Limit {
    /** Checks the range. */
    public FixedWindow {
      LimitValidation.permits(permits);
      Objects.requireNonNull(span, "span");
      Objects.requireNonNull(zone, "zone");
    }

    @Override
    public Duration period() {
      return span.period();
    }

    /** The same limit with the calendar of {@code zone}. */
    public FixedWindow zone(ZoneId zone) {
      return new FixedWindow(permits, span, zone);
    }

    @Override
    public long capacity() {
      return permits;
    }

    @Override
    public Duration memory() {
      return span.longest();
    }

    @Override
    public String algorithm() {
      return "fixed-window";
    }

    @Override
    public boolean sharesBucketsWith(Limit other) {
      return other instanceof FixedWindow that && span.equals(that.span) && zone.equals(that.zone);
    }

    @Override
    public String toString() {
      return algorithm()
          + " "
          + permits
          + " per "
          + span
          + (span instanceof Calendar ? " in " + zone : "");
    }

    /** The second half of building a fixed-window limit. */
    @FunctionalInterface
    public interface Per extends Limit.Per<FixedWindow> {
      /** The limit with its permits for each window of {@code span}. */
      FixedWindow per(Span span);

      @Override
      default FixedWindow per(Duration period) {
        return per(new Length(period));
      }

      /** Per calendar day, from midnight to midnight. */
      @Override
      default FixedWindow perDay() {
        return per(Calendar.DAY);
      }

      /** Per calendar week, from Monday. */
      default FixedWindow perWeek() {
        return per(Calendar.WEEK);
      }

      /** Per calendar month. */
      default FixedWindow perMonth() {
        return per(Calendar.MONTH);
      }

      /** Per calendar year. */
      default FixedWindow perYear() {
        return per(Calendar.YEAR);
      }
    }
  }

  /** The span of a fixed window. */
  sealed interface Span {
    /** The usual length of a window of it. */
    Duration period();

    /** The maximum length of a window of it. */
    Duration longest();
  }

  /** A fixed length of time; windows are aligned to the epoch. */
  record Length(Duration period) implements Span {
    /** Checks the range. */
    public Length {
      LimitValidation.period(period);
    }

    @Override
    public Duration longest() {
      return period;
    }

    @Override
    public String toString() {
      return LimitValidation.text(period);
    }
  }

  /** A calendar unit, as long as the calendar makes it. */
  enum Calendar implements Span {
    /** From midnight to midnight. */
    DAY(1, 1),
    /** From Monday to Monday. */
    WEEK(7, 7),
    /** From the first of the month. */
    MONTH(30, 31),
    /** From the first of January. */
    YEAR(365, 366);

    private final Duration period;
    private final Duration longest;

    Calendar(int usualDays, int maxDays) {
      period = Duration.ofDays(usualDays);
      longest =
          Duration.ofDays(maxDays + 1L); // a day may have been moved to the window, or left out
    }

    @Override
    public Duration period() {
      return period;
    }

    @Override
    public Duration longest() {
      return longest;
    }

    @Override
    public String toString() {
      return "calendar " + name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A sliding log: remembers the moment of each permit; allows at most {@code permits} in any
   * period, exactly.
   *
   * @param countRejected whether refused requests are remembered, and count, like granted ones
   */
  record SlidingLog(long permits, Duration period, boolean countRejected) implements Limit {
    /** Checks the range. */
    public SlidingLog {
      LimitValidation.permits(permits);
      LimitValidation.period(period);
    }

    /** The same limit, with refused requests counted as well. */
    public SlidingLog countingRejected() {
      return new SlidingLog(permits, period, true);
    }

    @Override
    public long capacity() {
      return permits;
    }

    @Override
    public Duration memory() {
      return period;
    }

    @Override
    public String algorithm() {
      return "sliding-log";
    }

    @Override
    public boolean sharesBucketsWith(Limit other) {
      return other instanceof SlidingLog that && period.equals(that.period);
    }

    @Override
    public String toString() {
      return algorithm()
          + (" " + permits + " per " + LimitValidation.text(period))
          + (countRejected ? ", counting rejected" : "");
    }
  }

  /**
   * A sliding window of two counters: the current window's count, plus the previous one's in
   * proportion to how much of it the last period still overlaps, rounded down.
   */
  record SlidingWindow(long permits, Duration period) implements Limit {
    /** Checks the range. */
    public SlidingWindow {
      LimitValidation.permits(permits);
      LimitValidation.period(period);
    }

    @Override
    public long capacity() {
      return permits;
    }

    @Override
    public Duration memory() {
      return period.multipliedBy(2);
    }

    @Override
    public String algorithm() {
      return "sliding-window";
    }

    @Override
    public boolean sharesBucketsWith(Limit other) {
      return other instanceof SlidingWindow that && period.equals(that.period);
    }

    @Override
    public String toString() {
      return algorithm() + " " + permits + " per " + LimitValidation.text(period);
    }
  }

  /**
   * Sliding epochs: the period is split into {@code epochs} pieces with a counter each. The
   * counters of the current epoch and those before it are summed.
   *
   * @param epochs how many; they divide the period into whole milliseconds
   * @param countRejected whether refused requests count like granted ones
   */
  record SlidingEpochs(long permits, Duration period, int epochs, boolean countRejected)
      implements Limit {
    /** Checks the range. */
    public SlidingEpochs {
      LimitValidation.permits(permits);
      LimitValidation.period(period);
      if (epochs < 1 || epochs > MAX_EPOCHS) {
        throw new IllegalArgumentException(
            "epochs must be from 1 to " + MAX_EPOCHS + ", but are " + epochs);
      }
      if (period.toMillis() % epochs != 0) {
        throw new IllegalArgumentException(
            "epochs must divide the period into whole milliseconds, but "
                + (LimitValidation.text(period) + " / " + epochs + " does not"));
      }
    }

    /** The same limit with its period in {@code epochs} pieces. */
    public SlidingEpochs epochs(int epochs) {
      return new SlidingEpochs(permits, period, epochs, countRejected);
    }

    /** The same limit, with refused requests counted as well. */
    public SlidingEpochs countingRejected() {
      return new SlidingEpochs(permits, period, epochs, true);
    }

    @Override
    public long capacity() {
      return permits;
    }

    @Override
    public Duration memory() {
      return period.plus(period.dividedBy(epochs));
    }

    @Override
    public String algorithm() {
      return "sliding-epochs";
    }

    @Override
    public boolean sharesBucketsWith(Limit other) {
      return other instanceof SlidingEpochs that
          && period.equals(that.period)
          && epochs == that.epochs;
    }

    @Override
    public String toString() {
      return algorithm()
          + (" " + permits + " per " + LimitValidation.text(period) + " in " + epochs + " epochs")
          + (countRejected ? ", counting rejected" : "");
    }
  }
}
