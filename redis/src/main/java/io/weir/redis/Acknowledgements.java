package io.weir.redis;

import io.weir.redis.RedisFailure.Kind;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Holds the replies on a connection of strict limiters. After each write it reads in which data set
 * the calls were made, which replicas have acknowledged them, and which history the primary has.
 * Replies are released when all of these are known. Used only by the I/O thread.
 */
// Failures reach the callers through the futures themselves.
@SuppressWarnings("FutureReturnValueIgnored")
final class Acknowledgements {
  static final Script ERA = Script.of("era");

  /*
   * A grant is released when all replicas have it. A reply without a grant need not be copied: if
   * it is lost, no grant is lost. It fails only if WAIT failed, so that the breaker opens when a
   * replica is away.
   *
   * In Redis 7.2 and Valkey, WAIT waits for the last write of this connection; earlier versions
   * wait for everything written until then. Our offset was read with the data set, so
   * other connections may have written in between. Then WAIT ends too soon, and INFO shows replicas
   * behind our offset. If there was a grant, a small write of our own precedes the next WAIT, which
   * then covers everything before it.
   */

  private static final byte[] EVAL = ascii("EVAL");
  private static final byte[] ONE_KEY = ascii("1");
  private static final byte[] WAIT = ascii("WAIT");
  private static final long MOMENT_NANOS = Duration.ofSeconds(1).toNanos(); // see isRenamed
  private static final byte[] INFO = ascii("INFO");
  private static final byte[] REPLICATION = ascii("replication");
  private static final System.Logger LOG = System.getLogger("io.weir.redis");

  private static final RedisFailure NOT_CHECKED =
      new RedisFailure(Kind.OTHER, "its data set was not checked");

  private static final RedisFailure LATE =
      new RedisFailure(Kind.TIMEOUT, "it took too long until all was acknowledged");

  /** A reply that is not released yet. */
  private record HeldReply(ScriptCall scriptCall, long[] reply) {}

  /** Calls that were written together and are released together. */
  private static final class Batch {
    private final long sent;
    private final DataIntegrity.History before;
    private final List<HeldReply> heldReply = new ArrayList<>();
    private @Nullable RedisFailure redisFailure = NOT_CHECKED;
    private long offset; // the offset that must be acknowledged
    private long acknowledged; // the number of connections that WAIT reported
    private int others; // acknowledging connections that do not count
    private boolean isAgain;
    private @Nullable String renamed; // the new id of the same history

    Batch(long sent, DataIntegrity.History before) {
      this.sent = sent;
      this.before = before;
    }

    /** Whether all replicas must have it. */
    boolean mustBeCopied() {
      for (HeldReply each : heldReply) {
        if (each.scriptCall.mustBeCopied(each.reply)) {
          return true;
        }
      }
      return false;
    }
  }

  private final DataIntegrity dataIntegrity;
  private final byte[] mark;
  private final byte[] probed;
  private final int replicas;
  private final byte[] waitMillis;
  private final Queue<HeldReply> heldReply = new ArrayDeque<>();
  private final Queue<Batch> again = new ArrayDeque<>();
  private String seenHistory = ""; // on this connection
  private long seenNanos;
  private boolean isDue;
  private int pending; // batches whose checks are not complete
  private long chargedMicros;

  Acknowledgements(DataIntegrity dataIntegrity, String prefix, int replicas) {
    this.dataIntegrity = dataIntegrity;
    this.mark = (prefix + ":era").getBytes(StandardCharsets.UTF_8);
    this.probed = (prefix + ":probe").getBytes(StandardCharsets.UTF_8);
    this.replicas = replicas;
    // WAIT must end before the deadline, so that the failure names the replicas.
    this.waitMillis = ascii(Long.toString(Math.max(1, dataIntegrity.maxTrip().toMillis() / 2)));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Whether calls should wait and be sent together. Redis would not process them earlier, and each
   * write waits for all replicas.
   */
  boolean isAwaited() {
    return pending > 0;
  }

  /** A call was written. */
  void wrote() {
    isDue = true;
  }

  /** A reply has arrived; it is held. */
  void hold(ScriptCall scriptCall, long[] reply) {
    heldReply.add(new HeldReply(scriptCall, reply));
    chargedMicros = Math.max(chargedMicros, reply[1]);
  }

  /**
   * Requests the acknowledgement of everything written since the last time.
   *
   * @param request sends a command and returns its reply
   */
  void request(Function<byte[][], CompletableFuture<@Nullable Object>> request) {
    for (Batch next = again.poll(); next != null; next = again.poll()) {
      requestReplicaState(next, request);
    }
    if (!isDue) {
      return;
    }
    isDue = false;
    pending++;
    Batch batch = new Batch(dataIntegrity.nanos(), dataIntegrity.history());
    byte[] fresh = ascii(Long.toString(ThreadLocalRandom.current().nextLong(1, 1L << 53)));
    byte[] age = ascii(Long.toString(dataIntegrity.ageMicros()));
    request
        .apply(new byte[][] {EVAL, ERA.text(), ONE_KEY, mark, fresh, age})
        .whenComplete((reply, lost) -> begin(batch, reply, lost));
    requestReplicaState(batch, request);
  }

  /** All commands go in one write, so Redis reads the replicas' state once WAIT has ended. */
  private void requestReplicaState(
      Batch batch, Function<byte[][], CompletableFuture<@Nullable Object>> request) {
    if (batch.isAgain) {
      request
          .apply(new byte[][] {EVAL, RedisStore.PROBE.text(), ONE_KEY, probed})
          .whenComplete((reply, lost) -> wrote(batch, reply, lost));
    }
    if (replicas > 0) {
      byte[] wanted = ascii(Integer.toString(replicas + batch.others));
      request
          .apply(new byte[][] {WAIT, wanted, waitMillis})
          .whenComplete((reply, lost) -> waited(batch, reply, lost));
    }
    request
        .apply(new byte[][] {INFO, REPLICATION})
        .whenComplete((reply, lost) -> end(batch, reply, lost));
  }

  private void begin(Batch batch, @Nullable Object reply, @Nullable Throwable lost) {
    batch.heldReply.addAll(heldReply);
    heldReply.clear();
    long charged = chargedMicros;
    chargedMicros = 0;
    if (reply instanceof List<?> fields
        && fields.size() == 6
        && fields.get(0) instanceof Long era
        && fields.get(1) instanceof Long whole
        && fields.get(2) instanceof Long micros
        && fields.get(3) instanceof Long evicted
        && fields.get(4) instanceof String policy
        && fields.get(5) instanceof Long offset) {
      DataIntegrity.ProbeResult probeResult =
          new DataIntegrity.ProbeResult(era, whole, micros, evicted, policy);
      if (dataIntegrity.heard(batch.sent, probeResult, charged)) {
        isDue = true; // new doubts go into the mark before anything else
      }
      batch.offset = offset;
      batch.redisFailure = null;
    } else {
      batch.redisFailure = failure("which data set it has", reply, lost);
    }
  }

  private static void wrote(Batch batch, @Nullable Object reply, @Nullable Throwable lost) {
    if (batch.redisFailure == null && !(reply instanceof List<?>)) {
      batch.redisFailure = failure("whether it takes writes", reply, lost);
    }
  }

  private static void waited(Batch batch, @Nullable Object reply, @Nullable Throwable lost) {
    if (reply instanceof Long acknowledged) {
      batch.acknowledged = acknowledged;
    } else if (batch.redisFailure == null) {
      batch.redisFailure = failure("how many replicas have it", reply, lost);
    }
  }

  private void end(Batch batch, @Nullable Object reply, @Nullable Throwable lost) {
    if (batch.redisFailure == null) {
      if (reply instanceof String info) {
        ReplicationInfo replicationInfo = ReplicationInfo.parse(info);
        batch.redisFailure = missing(batch, replicationInfo);
        if (batch.redisFailure != null && isWorthAnotherWait(batch, replicationInfo)) {
          batch.others = Math.max(batch.others, replicationInfo.othersAt(batch.offset));
          batch.isAgain = true;
          batch.redisFailure = null;
          again.add(batch);
          return;
        }
      } else {
        batch.redisFailure = failure("what copies it", reply, lost);
      }
    }
    release(batch);
  }

  /**
   * Whether WAIT ended too soon: replicas were behind, and it waited for less than our offset, or
   * for readers that do not count.
   */
  private boolean isWorthAnotherWait(Batch batch, ReplicationInfo replicationInfo) {
    return !replicationInfo.isReplica()
        && replicationInfo.replicasAt(batch.offset) < replicas
        && hasWaitSufficed(batch)
        && !dataIntegrity.isLate(batch.sent);
  }

  private boolean hasWaitSufficed(Batch batch) {
    return batch.acknowledged >= replicas + batch.others;
  }

  /** Counts only replicas that could become primary; other acknowledging readers do not count. */
  private @Nullable RedisFailure missing(Batch batch, ReplicationInfo replicationInfo) {
    if (replicationInfo.isReplica()) {
      return new RedisFailure(Kind.READ_ONLY, "it is a replica, not the primary");
    }
    boolean isRenamed = isRenamed(batch, replicationInfo);
    batch.renamed = isRenamed ? replicationInfo.history() : batch.renamed;
    dataIntegrity.seen(batch.before, replicationInfo.history(), isRenamed);
    seenHistory = replicationInfo.history();
    seenNanos = batch.sent;
    int have = replicationInfo.replicasAt(batch.offset);
    if (have < replicas && (batch.mustBeCopied() || !hasWaitSufficed(batch))) {
      return new RedisFailure(
          Kind.UNREPLICATED,
          have
              + " of "
              + replicas
              + " replicas have acknowledged the charge"
              + twins(replicationInfo));
    }
    int all = replicationInfo.replicas();
    if (all > replicas) {
      return new RedisFailure(
          Kind.UNREPLICATED, replicas + " replicas are named, and there are " + all);
    }
    if (have == replicas) {
      isDue |= dataIntegrity.copied(batch.before, batch.offset, replicationInfo, isRenamed);
    }
    return null;
  }

  /**
   * Whether the process continues with the same data under another id. Without replicas, Redis
   * takes a new id when a first reader of its changes connects, as a backup does, and again an hour
   * after the last reader has left. Then it has no former id. A server that was a replica in
   * between has one, until it has had no replicas itself for longer than repl-backlog-ttl, which is
   * at least a second. This connection, and so the same process, had the old history less than that
   * ago. The time counts from the moment of the request, because the reply may have taken long.
   */
  private boolean isRenamed(Batch batch, ReplicationInfo replicationInfo) {
    boolean isSame =
        batch.before.id().equals(seenHistory) && dataIntegrity.nanos() - seenNanos < MOMENT_NANOS;
    return !replicationInfo.hasFormer()
        && (isSame || replicationInfo.history().equals(batch.renamed));
  }

  /**
   * Replicas behind one address translation look like one, unless they announce their own address.
   */
  private static String twins(ReplicationInfo replicationInfo) {
    int max = replicationInfo.maxOfOneAddress();
    return max < 2
        ? ""
        : "; there are "
            + max
            + " connections from one address: if these are different replicas, set"
            + " replica-announce-ip and replica-announce-port";
  }

  private static RedisFailure failure(
      String what, @Nullable Object reply, @Nullable Throwable lost) {
    if (lost != null) {
      return RedisConnector.failure("Redis", lost);
    }
    return reply instanceof ErrorReply error
        ? error.redisFailure()
        : new RedisFailure(Kind.OTHER, "it does not report " + what);
  }

  /** The connection is lost: every batch that waits for another check of the replicas fails. */
  void close(RedisFailure why) {
    for (Batch next = again.poll(); next != null; next = again.poll()) {
      next.redisFailure = why;
      release(next);
    }
  }

  /**
   * A grant that arrives too late is not released: a charge takes effect only by a fixed margin
   * later.
   */
  private void release(Batch batch) {
    pending--;
    RedisFailure redisFailure =
        batch.redisFailure == null && dataIntegrity.isLate(batch.sent) ? LATE : batch.redisFailure;
    for (HeldReply next : batch.heldReply) {
      try {
        if (redisFailure == null) {
          next.scriptCall.complete(next.reply);
        } else {
          next.scriptCall.fail(redisFailure);
        }
      } catch (RuntimeException e) {
        LOG.log(Level.ERROR, "a reply could not be handed over", e);
      }
    }
  }
}
