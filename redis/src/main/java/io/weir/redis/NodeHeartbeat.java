package io.weir.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts the stores that share the buckets: each sends a heartbeat to Redis every second.
 * Thread-safe.
 *
 * <p>The cost is one call a second. A node without a heartbeat for five seconds no longer counts.
 * While Redis cannot be called, the last count stays. A higher count applies at once, a lower one
 * after six seconds. The reason: a Redis that lost its data knows only nodes with later heartbeats,
 * and for a moment each node would take the whole limit as its share.
 *
 * <p>The number is unknown until Redis has replied, unless it is configured or stored in a file.
 * The file holds the highest number of the last ten minutes. When nodes stop one after the other,
 * the last one counts few, but all of them may start again while Redis is away.
 */
final class NodeHeartbeat implements AutoCloseable {
  static final Script SCRIPT = Script.of("nodes");

  private static final long BEAT_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int BEATS_UNTIL_FEWER = 6;
  private static final int BEATS_UNTIL_FORGOTTEN = 600; // ten minutes
  private static final int BEATS_OF_A_START = 2;
  private static final int BEATS_OF_A_SLOW_START = 10;
  private static final byte[] PRESENT = "5000".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] GONE = "0".getBytes(StandardCharsets.US_ASCII);

  private final CommandSender commandSender;
  private final Timer timer;
  private final byte[] key;
  private final byte[] id;
  private final int minNodes;
  private final int[] seen = new int[BEATS_UNTIL_FEWER]; // the counts of the last beats
  private final @Nullable NodeCountFile file;
  private final Consumer<String> warnings;
  private int beats;
  private int remembered; // the number that is in the file, or will be
  private int beatsBelow; // consecutive beats with fewer nodes than remembered
  private int maxBelow; // the highest count in these
  private boolean isNeeded;
  private boolean hasHeard;
  private boolean hasFailed;
  private boolean hasWarned;
  private int sentBeats;
  private volatile Start start = Start.WITHOUT_REDIS;
  private volatile boolean isKnown;
  private volatile int count;
  private volatile boolean closed;

  /**
   * Sends the first heartbeat at once.
   *
   * @param prefix of the names of all keys
   * @param minNodes the minimum number of nodes; empty if unknown
   * @param file stores the number; null: none
   */
  NodeHeartbeat(
      String prefix,
      OptionalInt minNodes,
      @Nullable NodeCountFile file,
      CommandSender commandSender,
      Timer timer,
      Consumer<String> warnings) {
    this.file = file;
    this.warnings = warnings;
    this.commandSender = commandSender;
    this.timer = timer;
    this.key = (prefix + ":nodes").getBytes(StandardCharsets.UTF_8);
    this.id = id();
    this.minNodes = Math.max(1, minNodes.orElse(1));
    OptionalInt before = file == null ? OptionalInt.empty() : file.read();
    this.remembered = before.orElse(0);
    this.seen[0] = remembered;
    this.beats = 1;
    this.count = Math.max(this.minNodes, remembered);
    this.isKnown = minNodes.isPresent() || before.isPresent();
    timer.after(0, this::beat);
  }

  private static byte[] id() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return String.format("%016x%016x", random.nextLong(), random.nextLong())
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** Sends a heartbeat now unless Redis has replied before. */
  void sendUnlessReplied() {
    boolean isDue;
    synchronized (this) {
      isDue = !hasHeard;
      hasFailed &= !isDue;
    }
    if (isDue) {
      commandSender.send(new Heartbeat(PRESENT));
    }
  }

  /** Whether the first heartbeat has succeeded or failed. */
  synchronized boolean isDecided() {
    return hasHeard || hasFailed;
  }

  /** Whether Redis replied when this process started. */
  enum Start {
    /** Within two seconds. */
    WITH_REDIS,
    /** Within ten seconds: it may have been away before, or this process was slow. */
    SLOWLY,
    /** Later, or not yet: an earlier process of this node may have decided without it. */
    WITHOUT_REDIS
  }

  Start start() {
    return start;
  }

  /** Whether the number is configured, stored or received. */
  boolean isKnown() {
    return isKnown;
  }

  /** Decisions depend on the number from now on: it is stored, and must be known. */
  synchronized void need() {
    isNeeded = true;
    warnIfUnknown();
    if (isKnown && remembered > 0) {
      remember();
    }
  }

  private void warnIfUnknown() {
    if (isNeeded && hasFailed && !isKnown && !hasWarned) {
      hasWarned = true;
      warnings.accept(
          "Redis is away, and it is unknown how many nodes share the limits: on_failure: local"
              + " refuses until Redis has been asked once; give nodes=N in the store's URL, or a"
              + " data directory (state=FILE in the URL) that outlives restarts");
    }
  }

  private void remember() {
    if (file != null && isNeeded) {
      file.keep(remembered);
    }
  }

  /** The number of nodes including this one; at least 1 if unknown. */
  int count() {
    return count;
  }

  private void beat() {
    if (!closed) {
      synchronized (this) {
        sentBeats++;
      }
      timer.after(BEAT_NANOS, this::beat);
      commandSender.send(new Heartbeat(PRESENT));
    }
  }

  /** Deregisters this node if Redis can be called now, so that others see it leave at once. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      commandSender.send(new Heartbeat(GONE));
    }
  }

  private synchronized void saw(int nodes) {
    seen[Math.floorMod(beats++, seen.length)] = nodes;
    count = Math.max(minNodes, Arrays.stream(seen).max().orElse(minNodes));
    if (!hasHeard && sentBeats <= BEATS_OF_A_SLOW_START) {
      start = sentBeats <= BEATS_OF_A_START ? Start.WITH_REDIS : Start.SLOWLY;
    }
    hasHeard = true;
    isKnown = true;
    if (nodes >= remembered) {
      remembered = nodes;
      beatsBelow = 0;
      maxBelow = 0;
    } else {
      maxBelow = Math.max(maxBelow, nodes);
      if (++beatsBelow >= BEATS_UNTIL_FORGOTTEN) {
        remembered = maxBelow;
        beatsBelow = 0;
        maxBelow = 0;
      }
    }
    remember();
  }

  private synchronized void failed() {
    hasFailed = true;
    warnIfUnknown();
  }

  private final class Heartbeat extends ScriptCall {
    Heartbeat(byte[] millis) {
      super(SCRIPT, new byte[][] {key}, new byte[][] {id, millis});
    }

    @Override
    boolean isReply(long[] reply) {
      return reply.length == 1 && reply[0] >= 0;
    }

    @Override
    void onReply(long[] reply) {
      if (!closed) { // the reply to a deregistration counts only the others
        saw((int) Math.min(reply[0], Integer.MAX_VALUE));
      }
    }

    @Override
    void onFailure(RedisFailure redisFailure) {
      failed(); // the last count stays
    }
  }
}
