package io.weir.redis;

import io.weir.redis.RedisStatus.State;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The circuit breaker of one shard, with the probes that detect its recovery. Thread-safe.
 *
 * <p>A call that passes costs the read of a field or two.
 */
final class ShardBreaker implements CircuitBreaker {
  /*
   *                  5 failures in a row, or disconnected
   *          CLOSED -----------------------------------> OPEN        calls fail fast
   *          ^  | ^                                      ^  |
   *          |  | +---------- a probe succeeds ----------|--+
   *          |  | 5 errors in a row, but quickly         |
   *          |  +------------------------> DEGRADED -----+           calls pass
   *          +------- a probe succeeds -------+
   *
   * A breaker prevents useless waits. A shard that responds quickly, but with errors, causes no
   * waits. Out of memory, it still refuses correctly the callers that have spent everything; only
   * its grants fail. Opening would allow those callers. So the breaker becomes DEGRADED: the shard
   * is called as before, but the state is reported, and probes wait for its recovery. If responses
   * are useless (a replica that may be far behind, loading, busy, a wrong password), the breaker
   * opens.
   *
   * Only a probe closes it: a small write whose reply arrives within the deadline of a decision.
   * Other calls may succeed on a shard that cannot write, so they prove nothing. The first probe is
   * sent at once, because most failures are over when they are noticed; then every 100 ms, growing
   * to 500. If the breaker opens again within a second of closing, the interval continues to grow.
   * Otherwise a shard that replies only to probes would open and close the breaker a thousand times
   * a second.
   *
   * A late reply to a probe shows that the shard is alive: the next probe follows after another
   * deadline, whatever the interval. If there is no reply for two seconds on a connection that
   * seems to be up, the transport must replace the connection.
   *
   * A cluster node without slots is not probed, because another node would reply for it.
   *
   * At first there is no connection: OPEN, without a log line unless the connection fails.
   */
  private static final int FAILURES = 5;
  private static final long SOON = Duration.ofMillis(1).toNanos();
  private static final long FIRST_PAUSE = Duration.ofMillis(100).toNanos();
  private static final long MAX_PAUSE = Duration.ofMillis(500).toNanos();
  private static final long STEADY = Duration.ofSeconds(1).toNanos();
  private static final long SILENCE = Duration.ofSeconds(2).toNanos();
  private static final long TARDINESS = Duration.ofSeconds(5).toNanos();
  private static final RedisFailure NOT_YET =
      new RedisFailure(RedisFailure.Kind.DISCONNECTED, "not connected yet");

  private final String shard;
  private final Supplier<byte @Nullable []> key;
  private final ShardBreakers means;
  private final Timer timer;
  private final OutageLog outages;
  private volatile @Nullable RedisFailure obstacle = NOT_YET;
  private volatile int failures; // consecutive
  private volatile boolean isSound;

  // Guarded by this.
  private State state = State.OPEN;
  private RedisFailure reason = NOT_YET;
  private boolean isNew = true; // was never closed, and no failure was reported
  private boolean hasReplied;
  private boolean connected;
  private boolean closed;
  private long changes;
  private long changedAt;
  private long troubledSince;
  private long pause = FIRST_PAUSE;
  private long silentSince;
  private long tardySince; // since when no reply was in time, or the connection is new
  private long turn; // the number of the next probe; older ones are cancelled
  private @Nullable Probe underWay;
  private boolean probeAgain;

  ShardBreaker(String shard, Supplier<byte @Nullable []> key, ShardBreakers means) {
    this.shard = shard;
    this.key = key;
    this.means = means;
    this.timer = means.timer();
    this.outages = means.outages();
    this.changedAt = timer.nanoTime();
    this.troubledSince = changedAt;
    this.silentSince = changedAt;
    this.tardySince = changedAt;
  }

  @Override
  public @Nullable RedisFailure obstacle() {
    return obstacle;
  }

  @Override
  public boolean isSound() {
    return isSound;
  }

  @Override
  public void succeeded() {
    if (failures != 0) {
      failures = 0;
    }
  }

  @Override
  public void failed(RedisFailure redisFailure) {
    Weight weight = Weight.of(redisFailure.kind());
    if (weight == Weight.NONE) {
      succeeded();
      return;
    }
    if (obstacle == null) {
      count(redisFailure, weight);
    }
  }

  private synchronized void count(RedisFailure redisFailure, Weight weight) {
    if (closed || state == State.OPEN) {
      return;
    }
    if (weight == Weight.DEGRADES && state == State.DEGRADED) {
      failures = 0;
    } else {
      failures++;
      if (failures >= FAILURES) {
        leave(weight == Weight.DEGRADES ? State.DEGRADED : State.OPEN, redisFailure);
      }
    }
  }

  @Override
  public synchronized void disconnected(RedisFailure redisFailure) {
    connected = false;
    if (closed) {
      return;
    }
    if (state == State.OPEN) {
      complainAnew(redisFailure);
    } else {
      leave(State.OPEN, redisFailure);
    }
  }

  @Override
  public synchronized void connected() {
    connected = true;
    silentSince = timer.nanoTime();
    tardySince = silentSince;
    if (!closed && state != State.CLOSED) {
      probeSoon(0);
    }
  }

  /** Whether the shard has keys; a cluster node may have none. */
  boolean hasKeys() {
    return key.get() != null;
  }

  /** Whether the shard was reached, or found unreachable. */
  synchronized boolean isDecided() {
    return !isNew;
  }

  /** Changes to a state other than closed. */
  private void leave(State next, RedisFailure redisFailure) {
    boolean wasSteady = timer.nanoTime() - changedAt >= STEADY;
    if (state == State.CLOSED) {
      troubledSince = timer.nanoTime();
      silentSince = troubledSince;
      tardySince = troubledSince;
      pause = wasSteady ? FIRST_PAUSE : longer(pause);
    }
    enter(next);
    obstacle = next == State.OPEN ? redisFailure : null;
    reason = redisFailure;
    isNew = false;
    complain();
    probeSoon(wasSteady && connected ? 0 : means.jitter(pause));
  }

  private void enter(State next) {
    state = next;
    isSound = next == State.CLOSED;
    changes++;
    changedAt = timer.nanoTime();
    failures = 0;
  }

  /** While open, reports the first reason and each change of it. */
  private void complainAnew(RedisFailure redisFailure) {
    boolean another = isNew || redisFailure.kind() != reason.kind();
    obstacle = redisFailure;
    reason = redisFailure;
    isNew = false;
    if (another) {
      complain();
    }
    if (underWay == null && turn == 0) {
      probeSoon(means.jitter(pause));
    }
  }

  private void complain() {
    outages.failed(
        this, state == State.OPEN, complaint(reason.kind()), reason.message(), troubledSince);
  }

  private static String complaint(RedisFailure.Kind kind) {
    return switch (kind) {
      case TIMEOUT -> "does not answer";
      case DISCONNECTED -> "cannot be reached";
      case READ_ONLY -> "is not the primary";
      case LOADING -> "is not ready";
      case BUSY -> "is busy";
      case OUT_OF_MEMORY -> "has no memory left to write";
      case FORBIDDEN -> "does not let us";
      case CLUSTER_DOWN -> "has no node for its keys";
      case UNREPLICATED -> "is not copied by all its replicas";
      case NEWER_FORMAT, FOREIGN, DOUBTFUL, OTHER -> "answers with errors";
    };
  }

  // Probes.

  private void probeSoon(long delayNanos) {
    if (underWay != null) {
      probeAgain = true;
      return;
    }
    long mine = ++turn;
    timer.after(delayNanos, () -> probe(mine));
  }

  private void probe(long number) {
    byte @Nullable [] where = key.get();
    RedisTransport redisTransport = means.redisTransport();
    Probe probe;
    synchronized (this) {
      if (closed || state == State.CLOSED || number != turn || underWay != null) {
        return;
      }
      if (redisTransport == null) {
        probeSoon(SOON); // the connection is still being made
        return;
      }
      if (where == null) {
        probeSoon(means.jitter(MAX_PAUSE));
        return;
      }
      probe = new Probe(means.probe(), where);
      underWay = probe;
      probeAgain = false;
    }
    timer.after(means.deadline().toNanos(), () -> probe.fail(means.timeout()));
    redisTransport.send(probe);
  }

  private synchronized void recovered() {
    underWay = null;
    if (closed || state == State.CLOSED) {
      return;
    }
    connected = true;
    boolean complained = !isNew;
    boolean again = hasReplied;
    enter(State.CLOSED);
    isNew = false;
    hasReplied = true;
    obstacle = null;
    if (complained) {
      outages.recovered(this, again);
    }
  }

  private void missed(Probe probe, RedisFailure redisFailure) {
    boolean suspicious;
    synchronized (this) {
      underWay = null;
      if (closed || state == State.CLOSED) {
        return;
      }
      long now = timer.nanoTime();
      boolean replied = redisFailure.kind() != RedisFailure.Kind.TIMEOUT;
      // A connection that lost a reply assigns each reply to the call before, so every reply is
      // late.
      suspicious = connected && (now - silentSince >= SILENCE || now - tardySince >= TARDINESS);
      if (suspicious || (replied && redisFailure.kind() != RedisFailure.Kind.READ_ONLY)) {
        silentSince = now;
        tardySince = now;
      }
      long delay = probeAgain ? 0 : means.jitter(pause);
      pause = longer(pause);
      if (state == State.OPEN && (replied || connected)) {
        if (Weight.of(redisFailure.kind()) == Weight.DEGRADES) {
          leave(State.DEGRADED, redisFailure);
        } else {
          complainAnew(redisFailure);
        }
      }
      probeSoon(delay);
    }
    RedisTransport redisTransport = means.redisTransport();
    if (suspicious && redisTransport != null) {
      redisTransport.suspect(probe.keys()[0]);
    }
  }

  private static long longer(long pause) {
    return Math.min(MAX_PAUSE, pause * 3 / 2);
  }

  private synchronized void repliedLate() {
    silentSince = timer.nanoTime();
    if (!closed && state != State.CLOSED) {
      probeSoon(means.deadline().toNanos());
    }
  }

  /** The current state. */
  synchronized RedisStatus.Shard status() {
    return new RedisStatus.Shard(
        shard,
        state,
        Duration.ofNanos(timer.nanoTime() - changedAt),
        changes,
        reason == NOT_YET && state == State.CLOSED ? "" : reason.message());
  }

  /** Stops the probes. */
  synchronized void close() {
    closed = true;
    outages.removed(this);
  }

  @Override
  public String toString() {
    return shard;
  }

  /** The effect of a failure on the breaker. */
  private enum Weight {
    /** None: it concerns one bucket. */
    NONE,
    /** The shard responds, but does not work as it should. */
    DEGRADES,
    /** The shard does not respond, or not reliably. */
    OPENS;

    static Weight of(RedisFailure.Kind kind) {
      return switch (kind) {
        case NEWER_FORMAT, FOREIGN, DOUBTFUL -> NONE;
        case OUT_OF_MEMORY, OTHER -> DEGRADES;
        case TIMEOUT,
            DISCONNECTED,
            READ_ONLY,
            LOADING,
            BUSY,
            FORBIDDEN,
            CLUSTER_DOWN,
            UNREPLICATED ->
            OPENS;
      };
    }
  }

  /** A small write. */
  private final class Probe extends ScriptCall {
    Probe(Script script, byte[] key) {
      super(script, new byte[][] {key}, new byte[0][]);
    }

    @Override
    boolean isReply(long[] reply) {
      return reply.length == 2 && reply[0] == 1;
    }

    @Override
    void onReply(long[] reply) {
      recovered();
    }

    @Override
    void onFailure(RedisFailure redisFailure) {
      missed(this, redisFailure);
    }

    @Override
    void onLateReply() {
      repliedLate();
    }
  }
}
