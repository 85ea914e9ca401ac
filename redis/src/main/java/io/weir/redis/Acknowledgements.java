package io.weir.redis;

import io.weir.redis.Failure.Kind;
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
 * On a connection of strict limiters: after all calls of a write it is asked which data set they
 * were made in, which replicas have what they did, and whose history that is. Until all is
 * answered, their replies are held. Of the I/O thread alone.
 */
// Who waits for an answer is told of its failure.
@SuppressWarnings("FutureReturnValueIgnored")
final class Acknowledgements {
  static final Script ERA = Script.of("era");

  /*
   * A grant is passed on when all replicas have it. What granted nothing need not be copied: if it is
   * lost, nothing was granted that is lost with it. It fails only if WAIT was in vain, so that the
   * breaker opens when a replica is away.
   *
   * From Redis 7.2 on, and in Valkey, WAIT waits for the last write of this connection, and before
   * that for all that was written until then. Our offset is that of the look at the data set, so
   * other connections may have written in between: then WAIT ends too soon, and INFO shows replicas
   * that are behind our offset. If something was granted, a small write of our own comes before the
   * next WAIT, which is then for all before it.
   */

  private static final byte[] EVAL = ascii("EVAL");
  private static final byte[] ONE_KEY = ascii("1");
  private static final byte[] WAIT = ascii("WAIT");
  private static final long MOMENT_NANOS = Duration.ofSeconds(1).toNanos(); // see isRenamed
  private static final byte[] INFO = ascii("INFO");
  private static final byte[] REPLICATION = ascii("replication");
  private static final System.Logger LOG = System.getLogger("io.weir.redis");

  private static final Failure NOT_ASKED =
      new Failure(Kind.OTHER, "it was not asked which data set it has");

  private static final Failure LATE =
      new Failure(Kind.TIMEOUT, "it took too long until all was acknowledged");

  /** A reply that is not told yet. */
  private record Held(Call call, long[] reply) {}

  /** What was written at once, and is told at once. */
  private static final class Batch {
    private final long sent;
    private final Soundness.History before;
    private final List<Held> held = new ArrayList<>();
    private @Nullable Failure failure = NOT_ASKED;
    private long offset; // up to where it is to be acknowledged
    private long acknowledged; // by how many connections, of what WAIT has waited for
    private int others; // that have acknowledged it, and do not count
    private boolean isAgain;
    private @Nullable String renamed; // the id under which the history before goes on

    Batch(long sent, Soundness.History before) {
      this.sent = sent;
      this.before = before;
    }

    /** Whether all replicas have to have it. */
    boolean mustBeCopied() {
      for (Held each : held) {
        if (each.call.mustBeCopied(each.reply)) {
          return true;
        }
      }
      return false;
    }
  }

  private final Soundness soundness;
  private final byte[] mark;
  private final byte[] probed;
  private final int replicas;
  private final byte[] longestWait;
  private final Queue<Held> held = new ArrayDeque<>();
  private final Queue<Batch> again = new ArrayDeque<>();
  private String seenHistory = ""; // by this connection
  private long seenNanos;
  private boolean isDue;
  private int asked; // and not answered
  private long chargedMicros;

  Acknowledgements(Soundness soundness, String prefix, int replicas) {
    this.soundness = soundness;
    this.mark = (prefix + ":era").getBytes(StandardCharsets.UTF_8);
    this.probed = (prefix + ":probe").getBytes(StandardCharsets.UTF_8);
    this.replicas = replicas;
    // Whoever waits is to hear that it was for the replicas in vain.
    this.longestWait = ascii(Long.toString(Math.max(1, soundness.longestTrip().toMillis() / 2)));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Whether calls had better wait, and go together: Redis would not look at them before, and each
   * write has an answer of all replicas to wait for.
   */
  boolean isAwaited() {
    return asked > 0;
  }

  /** A call is written. */
  void wrote() {
    isDue = true;
  }

  /** A call is answered. */
  void hold(Call call, long[] reply) {
    held.add(new Held(call, reply));
    chargedMicros = Math.max(chargedMicros, reply[1]);
  }

  /**
   * Asks for all that was written since the last time.
   *
   * @param ask writes words, and says what is answered
   */
  void ask(Function<byte[][], CompletableFuture<@Nullable Object>> ask) {
    for (Batch next = again.poll(); next != null; next = again.poll()) {
      askReplicas(next, ask);
    }
    if (!isDue) {
      return;
    }
    isDue = false;
    asked++;
    Batch batch = new Batch(soundness.nanos(), soundness.history());
    byte[] fresh = ascii(Long.toString(ThreadLocalRandom.current().nextLong(1, 1L << 53)));
    byte[] age = ascii(Long.toString(soundness.ageMicros()));
    ask.apply(new byte[][] {EVAL, ERA.text(), ONE_KEY, mark, fresh, age})
        .whenComplete((told, lost) -> begin(batch, told, lost));
    askReplicas(batch, ask);
  }

  /** All in one write: Redis looks at the replicas when those waited for have answered. */
  private void askReplicas(
      Batch batch, Function<byte[][], CompletableFuture<@Nullable Object>> ask) {
    if (batch.isAgain) {
      ask.apply(new byte[][] {EVAL, RedisStore.PROBE.text(), ONE_KEY, probed})
          .whenComplete((told, lost) -> wrote(batch, told, lost));
    }
    if (replicas > 0) {
      byte[] wanted = ascii(Integer.toString(replicas + batch.others));
      ask.apply(new byte[][] {WAIT, wanted, longestWait})
          .whenComplete((told, lost) -> waited(batch, told, lost));
    }
    ask.apply(new byte[][] {INFO, REPLICATION})
        .whenComplete((told, lost) -> end(batch, told, lost));
  }

  private void begin(Batch batch, @Nullable Object told, @Nullable Throwable lost) {
    batch.held.addAll(held);
    held.clear();
    long charged = chargedMicros;
    chargedMicros = 0;
    if (told instanceof List<?> answers
        && answers.size() == 6
        && answers.get(0) instanceof Long era
        && answers.get(1) instanceof Long whole
        && answers.get(2) instanceof Long micros
        && answers.get(3) instanceof Long evicted
        && answers.get(4) instanceof String policy
        && answers.get(5) instanceof Long offset) {
      Soundness.Look look = new Soundness.Look(era, whole, micros, evicted, policy);
      if (soundness.heard(batch.sent, look, charged)) {
        isDue = true; // what was found out is written into the mark, before anything else
      }
      batch.offset = offset;
      batch.failure = null;
    } else {
      batch.failure = failure("which data set it has", told, lost);
    }
  }

  private static void wrote(Batch batch, @Nullable Object told, @Nullable Throwable lost) {
    if (batch.failure == null && !(told instanceof List<?>)) {
      batch.failure = failure("whether it takes writes", told, lost);
    }
  }

  private static void waited(Batch batch, @Nullable Object told, @Nullable Throwable lost) {
    if (told instanceof Long acknowledged) {
      batch.acknowledged = acknowledged;
    } else if (batch.failure == null) {
      batch.failure = failure("how many replicas have it", told, lost);
    }
  }

  private void end(Batch batch, @Nullable Object told, @Nullable Throwable lost) {
    if (batch.failure == null) {
      if (told instanceof String info) {
        Replication replication = Replication.parse(info);
        batch.failure = missing(batch, replication);
        if (batch.failure != null && isWorthAnotherWait(batch, replication)) {
          batch.others = Math.max(batch.others, replication.othersAt(batch.offset));
          batch.isAgain = true;
          batch.failure = null;
          again.add(batch);
          return;
        }
      } else {
        batch.failure = failure("what copies it", told, lost);
      }
    }
    tell(batch);
  }

  /**
   * Whether WAIT has ended too soon: replicas were behind, and it has waited for less than our
   * offset, or for readers that do not count.
   */
  private boolean isWorthAnotherWait(Batch batch, Replication replication) {
    return !replication.isReplica()
        && replication.replicasAt(batch.offset) < replicas
        && hasWaitSufficed(batch)
        && !soundness.isLate(batch.sent);
  }

  private boolean hasWaitSufficed(Batch batch) {
    return batch.acknowledged >= replicas + batch.others;
  }

  /** Those replicas count that could become primary, and not whatever else acknowledges. */
  private @Nullable Failure missing(Batch batch, Replication replication) {
    if (replication.isReplica()) {
      return new Failure(Kind.READ_ONLY, "it is a replica, not the primary");
    }
    boolean isRenamed = isRenamed(batch, replication);
    batch.renamed = isRenamed ? replication.history() : batch.renamed;
    soundness.seen(batch.before, replication.history(), isRenamed);
    seenHistory = replication.history();
    seenNanos = batch.sent;
    int have = replication.replicasAt(batch.offset);
    if (have < replicas && (batch.mustBeCopied() || !hasWaitSufficed(batch))) {
      return new Failure(
          Kind.UNREPLICATED,
          have + " of " + replicas + " replicas have acknowledged the charge" + twins(replication));
    }
    int all = replication.replicas();
    if (all > replicas) {
      return new Failure(Kind.UNREPLICATED, replicas + " replicas are named, and there are " + all);
    }
    if (have == replicas) {
      isDue |= soundness.copied(batch.before, batch.offset, replication, isRenamed);
    }
    return null;
  }

  /**
   * Whether the process continues with the same data under another id. Without replicas, Redis
   * takes a new id when a first reader of its changes connects, as a backup does, and again an hour
   * after the last reader has left. It has no former id then. A server that was a replica meanwhile
   * has one, until it has had no replicas itself for longer than repl-backlog-ttl, which is a
   * second at least. This connection, and so the same process, had the history before less than
   * that ago. The time counts from when that was asked: the reply may have been on its way for
   * long.
   */
  private boolean isRenamed(Batch batch, Replication replication) {
    boolean isSame =
        batch.before.id().equals(seenHistory) && soundness.nanos() - seenNanos < MOMENT_NANOS;
    return !replication.hasFormer() && (isSame || replication.history().equals(batch.renamed));
  }

  /** Replicas behind one address translation look like one, unless they announce their own. */
  private static String twins(Replication replication) {
    int most = replication.mostOfOneAddress();
    return most < 2
        ? ""
        : "; there are "
            + most
            + " connections from one address: if these are different replicas, set"
            + " replica-announce-ip and replica-announce-port";
  }

  private static Failure failure(String what, @Nullable Object told, @Nullable Throwable lost) {
    if (lost != null) {
      return Dialer.failure("Redis", lost);
    }
    return told instanceof ErrorReply error
        ? error.failure()
        : new Failure(Kind.OTHER, "it does not tell " + what);
  }

  /** The connection is lost: nothing that waits for another look at the replicas gets it. */
  void close(Failure why) {
    for (Batch next = again.poll(); next != null; next = again.poll()) {
      next.failure = why;
      tell(next);
    }
  }

  /** What comes later than it may is not told as a yes: a charge counts only so much later. */
  private void tell(Batch batch) {
    asked--;
    Failure failure = batch.failure == null && soundness.isLate(batch.sent) ? LATE : batch.failure;
    for (Held next : batch.held) {
      try {
        if (failure == null) {
          next.call.answer(next.reply);
        } else {
          next.call.fail(failure);
        }
      } catch (RuntimeException e) {
        LOG.log(Level.ERROR, "a reply could not be handed over", e);
      }
    }
  }
}
