package io.weir.redis;

import io.weir.redis.Failure.Kind;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Since when a primary is known to have everything that was granted, by a clock that runs as ours
 * does: a limit that remembers for a minute may grant when that was a minute ago.
 *
 * <p>Whatever is not certain begins that time anew: another data set, a process that has started
 * lately, a clock that has stepped, settings that lose keys.
 */
final class Soundness {
  /*
   * Completeness. A yes was copied by all replicas before it was told. So whichever process is the
   * primary has all of them from the moment on when that process was started, unless its data was
   * thrown away since: then the mark of the data set is gone with it, or another.
   *
   * Clock. The primary's time t, told between our moments s and r, shows how far its clock is ahead
   * of ours: somewhere in [t - r, t - s]. What is known of that is the intersection of all such
   * spans, each grown wider since by what clocks may drift. A span beyond it is a step. Who notices
   * one marks the data set anew, so that those learn of it who come later.
   *
   * Who has just started has no such knowledge. He believes the age that the primary tells if their
   * wall clocks agree, and begins to count from now if not.
   */

  /** What the clocks of two servers may differ by, and small steps of one, without notice. */
  static final long TOLERANCE_MICROS = 10_000;

  /** An answer that took longer tells too little of the time when it was given. */
  static final long LONGEST_TRIP_NANOS = Duration.ofMillis(100).toNanos();

  private static final long LARGEST_WALL_DIFFERENCE_MICROS = 1_000_000;
  private static final int DRIFT = 2000; // one part in so many
  private static final long NEVER = Long.MAX_VALUE / 4;
  private static final Logger LOG = System.getLogger("io.weir.redis");

  private final LongSupplier nanos;
  private final LongSupplier wallMicros;
  private final int replicas;

  private boolean isKnown;
  private long since; // by nanos
  private String reason = "nothing is known of it yet";
  private @Nullable String fault;
  private String run = ""; // the process that we met last
  private long started; // and when that was started at the latest, by nanos
  private long era;
  private long givenUp; // an era, or 0
  private boolean hasClock;
  private long lowMicros; // the primary's clock is ahead of ours by at least this
  private long highMicros; // and at most this
  private long clockNanos; // when that was known
  private long aheadMicros; // what it has stepped forward without notice
  private long behindMicros; // and back

  /**
   * @param nanos a monotonic clock
   * @param wallMicros since the epoch
   * @param replicas how many the primary has
   */
  Soundness(LongSupplier nanos, LongSupplier wallMicros, int replicas) {
    this.nanos = nanos;
    this.wallMicros = wallMicros;
    this.replicas = replicas;
    this.started = nanos.getAsLong() - NEVER;
  }

  /** What a primary told of itself. */
  synchronized void met(ServerReport report) {
    long now = nanos.getAsLong();
    String before = fault;
    fault = fault(report);
    if (fault != null || before != null) {
      doubt(now, fault == null ? "it had other settings" : fault);
    }
    // Its seconds are cut off, at the beginning as well as now.
    long begun = now - Math.max(0, report.uptimeSeconds() - 1) * 1_000_000_000L;
    if (report.run().isEmpty() || !report.run().equals(run) || begun - started < 0) {
      run = report.run();
      started = begun;
    }
    if (isKnown && started - since > 0) {
      since = started;
      reason = report.server() + " was started then";
    }
  }

  /** What is wrong with a primary's settings; null if nothing is. */
  private @Nullable String fault(ServerReport report) {
    if (!report.policy().equals("noeviction")) {
      return report.server()
          + (report.policy().isEmpty()
              ? " does not tell its maxmemory-policy; let us ask for INFO memory, and"
              : " has maxmemory-policy " + report.policy() + ";")
          + " set noeviction";
    }
    if (report.replicas() > replicas) {
      return "%s is copied by %d servers, and the URL of the store says replicas=%d; name all of them"
          .formatted(report.server(), report.replicas(), replicas);
    }
    return report.uptimeSeconds() < 0
        ? report.server() + " does not tell since when it runs; let us ask for INFO server"
        : null;
  }

  /** Which settings of the primary are in the way, however much time passes; null if none are. */
  synchronized @Nullable String fault() {
    return fault;
  }

  /** The data set that is to be marked anew; 0 for none. */
  synchronized long givenUp() {
    return givenUp;
  }

  /**
   * A primary has told its data set and its time.
   *
   * @param sentNanos a moment before it did
   * @param told the data set's number
   * @param markedMicros when that was given
   * @param micros the time
   * @return whether it was told so lately that the time means something
   */
  synchronized boolean heard(long sentNanos, long told, long markedMicros, long micros) {
    long now = nanos.getAsLong();
    if (now - sentNanos > LONGEST_TRIP_NANOS) {
      return false;
    }
    String step = clock(sentNanos, now, micros);
    if (told != givenUp) {
      givenUp = 0;
    }
    if (!isKnown) {
      begin(now, told, markedMicros, micros);
    } else if (told != era) {
      era = told;
      doubt(now, "its data was lost, or is not to be relied on");
    } else if (step != null) {
      givenUp = told;
      doubt(now, step);
    }
    return true;
  }

  private void begin(long now, long told, long markedMicros, long micros) {
    era = told;
    isKnown = true;
    long apart = Math.abs(micros - wallMicros.getAsLong());
    if (apart > LARGEST_WALL_DIFFERENCE_MICROS || fault != null) {
      doubt(now, fault != null ? fault : "its clock and ours are " + apart / 1000 + " ms apart");
      return;
    }
    since = now - Math.min(Math.max(0, micros - markedMicros), NEVER / 1000) * 1000;
    reason = "its data begins then";
    if (started - since > 0) {
      since = started;
      reason = "it was started then";
    }
  }

  /** Takes what the primary's time tells, and says by how much it has stepped, if it has. */
  private @Nullable String clock(long sentNanos, long now, long micros) {
    long low = micros - Math.floorDiv(now, 1000L) - 1;
    long high = micros - Math.floorDiv(sentNanos, 1000L) + 1;
    long drift = hasClock ? (now - clockNanos) / 1000 / DRIFT + 1 : 0;
    long lowest = hasClock ? lowMicros - drift : low;
    long highest = hasClock ? highMicros + drift : high;
    boolean isMeeting = low <= highest && high >= lowest;
    lowMicros = isMeeting ? Math.max(low, lowest) : low;
    highMicros = isMeeting ? Math.min(high, highest) : high;
    clockNanos = now;
    hasClock = true;
    return isMeeting ? null : stepped(low > highest ? low - highest : high - lowest);
  }

  /** Small steps add up, until others take them back. */
  private @Nullable String stepped(long micros) {
    aheadMicros = Math.max(0, aheadMicros + micros);
    behindMicros = Math.max(0, behindMicros - micros);
    String step = null;
    if (aheadMicros > TOLERANCE_MICROS) {
      step = "its clock has gone forward by " + aheadMicros / 1000 + " ms";
    } else if (behindMicros > TOLERANCE_MICROS) {
      step = "its clock has gone back by " + behindMicros / 1000 + " ms";
    }
    if (step != null) {
      aheadMicros = 0;
      behindMicros = 0;
    }
    return step;
  }

  private void doubt(long now, String why) {
    if (!why.equals(reason)) {
      LOG.log(
          Level.WARNING,
          "strict limits grant nothing for one window of each: it is not certain that Redis knows"
              + " what was granted before ({0})",
          why);
    }
    since = now;
    reason = why;
  }

  /** How long until a limit may grant that remembers for {@code memoryNanos}. */
  synchronized long leftNanos(long memoryNanos) {
    return isKnown && fault == null
        ? Math.max(0, memoryNanos - (nanos.getAsLong() - since))
        : memoryNanos;
  }

  /** Why a limit may not grant that remembers for {@code memoryNanos}; null if it may. */
  synchronized @Nullable Failure obstacle(long memoryNanos) {
    return leftNanos(memoryNanos) == 0
        ? null
        : new Failure(Kind.DOUBTFUL, "it is not certain what was granted before: " + reason);
  }
}
