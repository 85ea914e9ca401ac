package io.weir.redis;

import io.weir.redis.Failure.Kind;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Since when a primary is known to have everything that was granted, by a clock that runs as ours
 * does: a limit that remembers for a minute may grant when that was a minute ago.
 *
 * <p>Whatever is not certain begins that time anew: another data set, a process that has started
 * lately, one that does not continue the known history, a clock that has stepped, settings that
 * lose keys.
 */
final class Soundness {
  /*
   * Completeness. A yes was copied by all replicas before it was told. So whoever takes over from a
   * primary has all of them from the moment on when his process was started, unless his data was
   * thrown away since. Then the mark of the data set is gone with it, or another; or, if it is that
   * of an older copy, so is the history that he goes on with.
   *
   * Clock. The primary's time t, told between our moments s and r, shows how far its clock is ahead
   * of ours: somewhere in [t - r, t - s]. What is known of that is the intersection of all such
   * spans, each grown wider since by what clocks may drift. A span beyond it is a step. Small steps
   * are summed up, each as large as it can have been; the sum is forgotten at the pace of the drift.
   *
   * What is found out is written into the mark, so that those learn of it who come later, or have
   * not noticed. Who has just started believes the age that the mark tells, less the second by which
   * it may be wrong, if his wall clock agrees with the primary's, and begins to count from now if
   * not.
   */

  /**
   * Which history a primary goes on with, and up to where it is known that all replicas have it.
   *
   * @param id empty if nothing is known of it
   * @param offset -1 if the replicas were never all there
   */
  record History(String id, long offset) {
    private static final History UNKNOWN = new History("", -1);
  }

  /**
   * What a primary has told after charges.
   *
   * @param era the data set's number
   * @param wholeMicros since when it is whole by what others have found out
   * @param micros the time
   * @param evicted how many keys were dropped for want of memory since the process was started
   * @param policy whether any may be
   */
  record Look(long era, long wholeMicros, long micros, long evicted, String policy) {}

  static final String NO_EVICTION = "noeviction";

  /** So often every node looks at the primary, and brings along what it knows. */
  static final long BEAT_NANOS = Duration.ofMillis(500).toNanos();

  /**
   * For so long nothing is believed of a process that was not known before: others may know more,
   * and have it in the mark two beats later, of which one may be late.
   */
  static final long HOLD_NANOS = 3 * BEAT_NANOS;

  /** What the clocks of two servers may differ by, and small steps of one, without notice. */
  static final long TOLERANCE_MICROS = 10_000;

  private static final long LARGEST_WALL_DIFFERENCE_MICROS = 1_000_000;
  private static final long LARGEST_DRIFT_MICROS = 500_000;
  private static final int DRIFT = 2000; // one part in so many
  private static final long NEVER = Long.MAX_VALUE / 4;
  private static final long MARK_NANOS = Duration.ofSeconds(1).toNanos(); // see era.lua
  private static final long REPEAT_NANOS = Duration.ofMinutes(1).toNanos();

  private final LongSupplier nanos;
  private final LongSupplier wallMicros;
  private final int replicas;
  private final long longestTripNanos;
  private final Consumer<String> warnings;

  private boolean isKnown;
  private long since; // by nanos; the data is whole from then on at the earliest
  private String reason = "nothing is known of it yet";
  private @Nullable String fault;
  private String run = ""; // the process that we met last
  private History history = History.UNKNOWN; // and what it goes on with
  private long evicted = -1; // how many keys of it, as far as it is known
  private boolean isHeld;
  private long heldNanos; // from when on it is believed at the earliest
  private long started; // and when it was started at the latest, by nanos
  private long era;
  private boolean hasClock;
  private long lowMicros; // the primary's clock is ahead of ours by at least this
  private long highMicros; // and at most this
  private long clockNanos; // when that was known
  private long aheadMicros; // what it may have stepped forward without notice
  private long behindMicros; // and back
  private String warned = "";
  private long warnedNanos;

  /**
   * @param nanos a monotonic clock
   * @param wallMicros since the epoch
   * @param replicas how many the primary has
   * @param longestTripNanos an answer that took longer tells too little of when it was given
   * @param warnings what people should know; must not block
   */
  Soundness(
      LongSupplier nanos,
      LongSupplier wallMicros,
      int replicas,
      long longestTripNanos,
      Consumer<String> warnings) {
    this.nanos = nanos;
    this.wallMicros = wallMicros;
    this.replicas = replicas;
    this.longestTripNanos = longestTripNanos;
    this.warnings = warnings;
    this.since = nanos.getAsLong() - NEVER;
  }

  /** What a primary told of itself. */
  synchronized void met(ServerReport report) {
    long now = nanos.getAsLong();
    String before = fault;
    fault = fault(report);
    if (fault != null || before != null) {
      doubt(now, fault == null ? report.server() + " had other settings" : fault);
    }
    // Its seconds are cut off, at the beginning as well as now.
    long begun = now - Math.max(0, report.uptimeSeconds() - 1) * 1_000_000_000L;
    if (!run.equals(report.run())) {
      if (!run.isEmpty()) {
        hold(now);
        evicted = 0;
      }
      run = report.run();
      started = begun;
    } else if (begun - started < 0) {
      started = begun;
    }
    if (started - since > 0) {
      doubt(started, report.server() + " was started lately");
    }
  }

  /** What is wrong with a primary's settings; null if nothing is. */
  private @Nullable String fault(ServerReport report) {
    String server = report.server();
    if (!report.policy().equals(NO_EVICTION)) {
      return report.policy().isEmpty()
          ? server + " does not tell its maxmemory-policy; let us ask for INFO memory"
          : server + " has maxmemory-policy " + report.policy() + "; set noeviction";
    }
    if (report.replicas() > replicas) {
      return "%s is copied by %d servers, and the URL of the store says replicas=%d; name all of them"
          .formatted(server, report.replicas(), replicas);
    }
    if (report.replicas() < 0) {
      return server + " does not tell of its replicas; let us ask for INFO replication";
    }
    return report.uptimeSeconds() < 0
        ? server + " does not tell since when it runs; let us ask for INFO server"
        : null;
  }

  /** Which settings of the primary are in the way, however much time passes; null if none are. */
  synchronized @Nullable String fault() {
    return fault;
  }

  /** For how long the data is whole by what is known here, in microseconds. */
  synchronized long ageMicros() {
    return Math.max(0, nanos.getAsLong() - since) / 1000;
  }

  /** The longest that an answer may take. */
  Duration longestTrip() {
    return Duration.ofNanos(longestTripNanos);
  }

  /** The monotonic clock by which all of this goes. */
  long nanos() {
    return nanos.getAsLong();
  }

  /** Whether an answer that was asked for at {@code sentNanos} comes too late to be told. */
  boolean isLate(long sentNanos) {
    return nanos.getAsLong() - sentNanos > longestTripNanos;
  }

  private void hold(long now) {
    isHeld = true;
    heldNanos = now + HOLD_NANOS;
  }

  /** What is known of the history, to be given to {@link #copied} with what is asked after this. */
  synchronized History history() {
    return history;
  }

  /**
   * The history that a primary has, whether or not its replicas have it too. A node that has never
   * met a replica must know it, or it could not notice that it is replaced by another.
   *
   * @param before the {@link #history} before it was asked
   * @param isRenamed whether it is known to be the one before under another id
   */
  synchronized void seen(History before, String id, boolean isRenamed) {
    if (history.id().isEmpty() || (isRenamed && before.id().equals(history.id()))) {
      history = new History(id, history.offset());
    }
  }

  /**
   * All replicas have what was done up to {@code offset}.
   *
   * @param before the {@link #history} before it was asked
   * @param told what the primary tells of whose copy it is
   * @param isRenamed whether it is known to go on with the history before under another id
   * @return whether there is a doubt that the mark does not have yet
   */
  synchronized boolean copied(History before, long offset, Replication told, boolean isRenamed) {
    long now = nanos.getAsLong();
    boolean isHeir =
        before.id().isEmpty()
            || told.continues(before.id(), before.offset())
            || (isRenamed && offset >= before.offset());
    if (!isHeir) {
      boolean isOlder = before.id().equals(told.history()) || before.id().equals(told.former());
      doubt(
          now,
          isOlder
              ? "its data is older than what was granted"
              : "its replication id is new, and it does not continue the history known before");
    }
    boolean isKnownHistory = told.history().equals(history.id());
    if (isKnownHistory || !isHeir || before.id().equals(history.id())) {
      long known = isKnownHistory ? Math.max(offset, history.offset()) : offset;
      history = new History(told.history(), known);
    }
    return !isHeir;
  }

  /**
   * A primary has told of itself.
   *
   * @param sentNanos a moment before it did
   * @param chargedMicros the latest that it had told since {@code sentNanos}; 0 if none
   * @return whether the mark does not tell yet what is known here
   */
  synchronized boolean heard(long sentNanos, Look look, long chargedMicros) {
    long now = nanos.getAsLong();
    long micros = look.micros();
    if (chargedMicros > micros + TOLERANCE_MICROS) {
      doubt(now, "its clock has gone forth and back");
    }
    if (isLate(sentNanos)) {
      return false;
    }
    String step = clock(sentNanos, now, micros);
    long whole = now - Math.min(Math.max(0, micros - look.wholeMicros()), NEVER / 1000) * 1000;
    long marked = whole;
    long apart = Math.abs(micros - wallMicros.getAsLong());
    if (!isKnown) {
      isKnown = true;
      era = look.era();
      whole += MARK_NANOS;
      hold(now);
      if (apart > LARGEST_WALL_DIFFERENCE_MICROS) {
        doubt(now, "its clock and ours are " + apart / 1000 + " ms apart");
      }
    } else if (look.era() != era) {
      era = look.era();
      doubt(now, "its data was lost, or is not to be relied on");
    }
    if (whole - since > 0) {
      // Our own word comes back a little later than we gave it.
      reason = whole - since > MARK_NANOS ? "its mark says so" : reason;
      since = whole;
    }
    if (step != null) {
      doubt(now, step);
    }
    eviction(now, look);
    return since - marked > MARK_NANOS;
  }

  private void eviction(long now, Look look) {
    if (!look.policy().equals(NO_EVICTION)) {
      doubt(now, "it may evict keys, by maxmemory-policy " + look.policy());
    }
    if (evicted >= 0 && look.evicted() != evicted) {
      doubt(now, "it has evicted keys");
    }
    evicted = look.evicted();
  }

  /** Takes what the primary's time tells, and says by how much it has stepped, if it has. */
  private @Nullable String clock(long sentNanos, long now, long micros) {
    long low = micros - Math.floorDiv(now, 1000L) - 1;
    long high = micros - Math.floorDiv(sentNanos, 1000L) + 1;
    long drift = 0;
    if (hasClock) {
      drift = Math.min((now - clockNanos) / 1000 / DRIFT + 1, LARGEST_DRIFT_MICROS);
    } else {
      lowMicros = low;
      highMicros = high;
    }
    long lowest = lowMicros - drift;
    long highest = highMicros + drift;
    aheadMicros = Math.max(0, aheadMicros - drift);
    behindMicros = Math.max(0, behindMicros - drift);
    if (low > highest) {
      aheadMicros += high - lowest;
      behindMicros = Math.max(0, behindMicros - (low - highest));
    } else if (high < lowest) {
      behindMicros += highest - low;
      aheadMicros = Math.max(0, aheadMicros - (lowest - high));
    }
    boolean isMeeting = low <= highest && high >= lowest;
    lowMicros = isMeeting ? Math.max(low, lowest) : low;
    highMicros = isMeeting ? Math.min(high, highest) : high;
    clockNanos = now;
    hasClock = true;
    return stepped();
  }

  private @Nullable String stepped() {
    long ahead = aheadMicros;
    long behind = behindMicros;
    if (Math.max(ahead, behind) <= TOLERANCE_MICROS) {
      return null;
    }
    aheadMicros = 0;
    behindMicros = 0;
    return ahead > behind
        ? "its clock has gone forward by up to " + ahead / 1000 + " ms"
        : "its clock has gone back by up to " + behind / 1000 + " ms";
  }

  private void doubt(long from, String why) {
    if (from - since > 0) {
      since = from;
      reason = why;
    }
    long now = nanos.getAsLong();
    String kind = why.replaceAll("\\d+", "");
    if (isKnown && (!kind.equals(warned) || now - warnedNanos > REPEAT_NANOS)) {
      warned = kind;
      warnedNanos = now;
      warnings.accept(
          "strict limits grant nothing for one window of each: it is not certain that Redis knows"
              + " what was granted before ("
              + why
              + ")");
    }
  }

  /** How long until a limit may grant that remembers for {@code memoryNanos}. */
  synchronized long leftNanos(long memoryNanos) {
    if (!isKnown || fault != null) {
      return memoryNanos;
    }
    long now = nanos.getAsLong();
    if (isHeld && heldNanos - now <= 0) {
      isHeld = false;
    }
    return Math.max(isHeld ? heldNanos - now : 0, memoryNanos - (now - since));
  }

  /** Why a limit may not grant that remembers for {@code memoryNanos}; null if it may. */
  synchronized @Nullable Failure obstacle(long memoryNanos) {
    return leftNanos(memoryNanos) == 0
        ? null
        : new Failure(Kind.DOUBTFUL, "it is not certain what was granted before: " + reason);
  }
}
