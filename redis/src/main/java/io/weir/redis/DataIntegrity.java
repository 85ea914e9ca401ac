package io.weir.redis;

import io.weir.redis.RedisFailure.Kind;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tracks since when a primary is known to have all grants, by a clock of the same rate as ours. A
 * limit that remembers for a minute may grant once that was a minute ago. Thread-safe.
 *
 * <p>Any doubt restarts that time: another data set, a recently started process, one that does not
 * continue the known history, a clock step, settings that lose keys.
 */
final class DataIntegrity {
  /*
   * Completeness. All replicas had each grant before it was released. So a promoted replica holds
   * every grant made since its process started, unless its data was removed since. Then the mark of
   * the data set is missing or different. If the mark is that of an older copy, then the history is
   * that of the older copy too.
   *
   * Clock. The primary's time t, read between our times s and r, shows how far its clock is ahead
   * of ours: somewhere in [t - r, t - s]. The known range is the intersection of all such spans,
   * each widened since by the possible drift. A span beyond it is a step. Small steps are summed up
   * at their maximum possible size; the sum decays at the pace of the drift.
   *
   * Results are written into the mark, for nodes that start later or have not noticed. A node that
   * has just started accepts the age in the mark, less the second by which it may be wrong, if its
   * wall clock agrees with the primary's. Otherwise it counts from now.
   */

  /**
   * The history that a primary continues, and the offset up to which all replicas are known to have
   * it.
   *
   * @param id empty if unknown
   * @param offset -1 if the replicas were never complete
   */
  record History(String id, long offset) {
    private static final History UNKNOWN = new History("", -1);
  }

  /**
   * The primary's report after charges.
   *
   * @param era the data set's number
   * @param wholeMicros since when it is complete, by the findings of other nodes
   * @param micros the time
   * @param evicted how many keys were evicted since the process started
   * @param policy the eviction policy
   */
  record ProbeResult(long era, long wholeMicros, long micros, long evicted, String policy) {}

  static final String NO_EVICTION = "noeviction";

  /** The interval at which every node reads the primary's state and writes its findings. */
  static final long BEAT_NANOS = Duration.ofMillis(500).toNanos();

  /**
   * How long an unknown process is not trusted. Other nodes may know more, and have it in the mark
   * two beats later, of which one may be late.
   */
  static final long HOLD_NANOS = 3 * BEAT_NANOS;

  /** The undetected difference of two servers' clocks, and small undetected steps of one. */
  static final long TOLERANCE_MICROS = 10_000;

  private static final long LARGEST_WALL_DIFFERENCE_MICROS = 1_000_000;
  private static final long LARGEST_DRIFT_MICROS = 500_000;
  private static final int DRIFT = 2000; // one part in this many
  private static final long NEVER = Long.MAX_VALUE / 4;
  private static final long MARK_NANOS = Duration.ofSeconds(1).toNanos(); // see era.lua
  private static final long REPEAT_NANOS = Duration.ofMinutes(1).toNanos();

  private final LongSupplier nanos;
  private final LongSupplier wallMicros;
  private final int replicas;
  private final long maxTripNanos;
  private final Consumer<String> warnings;

  private boolean isKnown;
  private long since; // on the nanos clock; the data is complete from then on at the earliest
  private String reason = "nothing is known of it yet";
  private @Nullable String fault;
  private String run = ""; // the process seen last
  private History history = History.UNKNOWN; // the history that it continues
  private long evicted = -1; // the number of its evicted keys, as far as known
  private boolean isHeld;
  private long heldNanos; // the earliest time at which it is trusted
  private long started; // the latest possible time of its start, on the nanos clock
  private long era;
  private boolean hasClock;
  private long lowMicros; // the minimum by which the primary's clock is ahead of ours
  private long highMicros; // the maximum
  private long clockNanos; // when that was known
  private long aheadMicros; // possible undetected steps forward
  private long behindMicros; // possible undetected steps back
  private String warned = "";
  private long warnedNanos;

  /**
   * @param nanos a monotonic clock
   * @param wallMicros since the epoch
   * @param replicas the number of the primary's replicas
   * @param maxTripNanos a reply that took longer has too imprecise a time
   * @param warnings receives messages for the operator; must not block
   */
  DataIntegrity(
      LongSupplier nanos,
      LongSupplier wallMicros,
      int replicas,
      long maxTripNanos,
      Consumer<String> warnings) {
    this.nanos = nanos;
    this.wallMicros = wallMicros;
    this.replicas = replicas;
    this.maxTripNanos = maxTripNanos;
    this.warnings = warnings;
    this.since = nanos.getAsLong() - NEVER;
  }

  /** A primary has reported its data. */
  synchronized void met(ServerReport report) {
    long now = nanos.getAsLong();
    String before = fault;
    fault = fault(report);
    if (fault != null || before != null) {
      doubt(now, fault == null ? report.server() + " had other settings" : fault);
    }
    // Both its start and its uptime are truncated to seconds.
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

  /** The fault in a primary's settings; null if there is none. */
  private @Nullable String fault(ServerReport report) {
    String server = report.server();
    if (!report.policy().equals(NO_EVICTION)) {
      return report.policy().isEmpty()
          ? server + " reports no maxmemory-policy; permit this user to run INFO memory"
          : server + " has maxmemory-policy " + report.policy() + "; set noeviction";
    }
    if (report.replicas() > replicas) {
      return "%s is copied by %d servers, and the URL of the store says replicas=%d; name all of them"
          .formatted(server, report.replicas(), replicas);
    }
    if (report.replicas() < 0) {
      return server + " reports no replicas; permit this user to run INFO replication";
    }
    return report.uptimeSeconds() < 0
        ? server + " reports no start time; permit this user to run INFO server"
        : null;
  }

  /** The primary's settings that permanently prevent grants; null if there are none. */
  synchronized @Nullable String fault() {
    return fault;
  }

  /** How long the data has been complete by the findings of this node, in microseconds. */
  synchronized long ageMicros() {
    return Math.max(0, nanos.getAsLong() - since) / 1000;
  }

  /** The maximum time for a reply. */
  Duration maxTrip() {
    return Duration.ofNanos(maxTripNanos);
  }

  /** The monotonic clock of all checks. */
  long nanos() {
    return nanos.getAsLong();
  }

  /** Whether the reply to a request sent at {@code sentNanos} is too late to be released. */
  boolean isLate(long sentNanos) {
    return nanos.getAsLong() - sentNanos > maxTripNanos;
  }

  private void hold(long now) {
    isHeld = true;
    heldNanos = now + HOLD_NANOS;
  }

  /** The known history, to be passed to {@link #copied} with the result of a later request. */
  synchronized History history() {
    return history;
  }

  /**
   * The primary's history, even if its replicas do not have it yet. A node that has never met a
   * replica must know it to notice a replacement of the primary.
   *
   * @param before the {@link #history} before the request
   * @param isRenamed whether it is known to be the previous one under another id
   */
  synchronized void seen(History before, String id, boolean isRenamed) {
    if (history.id().isEmpty() || (isRenamed && before.id().equals(history.id()))) {
      history = new History(id, history.offset());
    }
  }

  /**
   * All replicas have everything up to {@code offset}.
   *
   * @param before the {@link #history} before the request
   * @param replicationInfo the primary's replication state
   * @param isRenamed whether it is known to continue the previous history under another id
   * @return whether there is a doubt that the mark does not contain yet
   */
  synchronized boolean copied(
      History before, long offset, ReplicationInfo replicationInfo, boolean isRenamed) {
    long now = nanos.getAsLong();
    boolean isHeir =
        before.id().isEmpty()
            || replicationInfo.continues(before.id(), before.offset())
            || (isRenamed && offset >= before.offset());
    if (!isHeir) {
      boolean isOlder =
          before.id().equals(replicationInfo.history())
              || before.id().equals(replicationInfo.former());
      doubt(
          now,
          isOlder
              ? "its data is older than what was granted"
              : "its replication id is new, and it does not continue the history known before");
    }
    boolean isKnownHistory = replicationInfo.history().equals(history.id());
    if (isKnownHistory || !isHeir || before.id().equals(history.id())) {
      long known = isKnownHistory ? Math.max(offset, history.offset()) : offset;
      history = new History(replicationInfo.history(), known);
    }
    return !isHeir;
  }

  /**
   * A primary has reported its state.
   *
   * @param sentNanos a moment before it did
   * @param chargedMicros the latest time that it has reported since {@code sentNanos}; 0 if none
   * @return whether the mark does not contain all findings of this node yet
   */
  synchronized boolean heard(long sentNanos, ProbeResult probeResult, long chargedMicros) {
    long now = nanos.getAsLong();
    long micros = probeResult.micros();
    if (chargedMicros > micros + TOLERANCE_MICROS) {
      doubt(now, "its clock has gone forth and back");
    }
    if (isLate(sentNanos)) {
      return false;
    }
    String step = clock(sentNanos, now, micros);
    long whole =
        now - Math.min(Math.max(0, micros - probeResult.wholeMicros()), NEVER / 1000) * 1000;
    long marked = whole;
    long apart = Math.abs(micros - wallMicros.getAsLong());
    if (!isKnown) {
      isKnown = true;
      era = probeResult.era();
      whole += MARK_NANOS;
      hold(now);
      if (apart > LARGEST_WALL_DIFFERENCE_MICROS) {
        doubt(now, "its clock and ours are " + apart / 1000 + " ms apart");
      }
    } else if (probeResult.era() != era) {
      era = probeResult.era();
      doubt(now, "its data was lost, or is not to be relied on");
    }
    if (whole - since > 0) {
      // Our own finding comes back with a slightly later time.
      reason = whole - since > MARK_NANOS ? "its mark says so" : reason;
      since = whole;
    }
    if (step != null) {
      doubt(now, step);
    }
    eviction(now, probeResult);
    return since - marked > MARK_NANOS;
  }

  private void eviction(long now, ProbeResult probeResult) {
    if (!probeResult.policy().equals(NO_EVICTION)) {
      doubt(now, "it may evict keys, by maxmemory-policy " + probeResult.policy());
    }
    if (evicted >= 0 && probeResult.evicted() != evicted) {
      doubt(now, "it has evicted keys");
    }
    evicted = probeResult.evicted();
  }

  /** Evaluates the primary's time, and describes a step of its clock if there was one. */
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

  /** How long until a limit that remembers for {@code memoryNanos} may grant. */
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

  /** Why a limit that remembers for {@code memoryNanos} may not grant; null if it may. */
  synchronized @Nullable RedisFailure obstacle(long memoryNanos) {
    return leftNanos(memoryNanos) == 0
        ? null
        : new RedisFailure(Kind.DOUBTFUL, "it is not certain what was granted before: " + reason);
  }
}
