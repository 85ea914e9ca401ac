package io.weir.redis;

import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Ends calls without a reply in time, to about a millisecond. Thread-safe.
 *
 * <p>One daemon thread; a call costs an atomic exchange and no allocation. An ended call is
 * released within two deadlines, and within about 20 ms if deadlines are longer.
 */
final class Deadlines implements AutoCloseable {
  /*
   * All calls have the same timeout, so the call that was sent first is due first. A queue is
   * enough, and only its head is checked. Calls are linked through their own `next`. Senders append
   * with one exchange of the tail; the thread removes from the head.
   *
   *     head (gone) -> oldest -> ... -> youngest = tail
   *
   * The thread sleeps until the oldest pending call is due. By then nearly all calls behind it have
   * their replies and are dropped on the way. With a deadline of 10 ms it wakes about a hundred
   * times a second, however many calls there are. A call added to an empty queue is not due before
   * a whole deadline has passed. So the thread sleeps that long without a wake-up, which would cost
   * the caller a system call. After a second without calls it sleeps until woken.
   *
   * With a long deadline, of 5 s perhaps, one open call at the head would keep all ended calls
   * behind it, with their keys. So the thread then also unlinks ended calls in between, 50 times a
   * second.
   *
   * If the thread itself is late, then most likely the whole process was stopped, by the garbage
   * collector or for lack of a processor, and replies are unread in the sockets. The I/O threads
   * first get a moment to read them; otherwise each long pause would look like a failure of Redis.
   */
  private static final System.Logger LOG = System.getLogger("io.weir.redis");
  private static final long SWEEP_NANOS = Duration.ofMillis(20).toNanos();
  private static final long IDLE_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long LATE_NANOS = Duration.ofMillis(2).toNanos();
  private static final long MOMENT_NANOS = Duration.ofMillis(2).toNanos();
  private static final VarHandle TAIL;

  static {
    try {
      TAIL = MethodHandles.lookup().findVarHandle(Deadlines.class, "tail", QueueEntry.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long deadlineNanos;
  private final RedisFailure timeout;
  private final RedisFailure shutdown =
      new RedisFailure(RedisFailure.Kind.DISCONNECTED, "the store is closed");
  private final QueueEntry blank = new QueueEntry();
  private QueueEntry head = blank; // already gone; used only by the thread
  private volatile QueueEntry tail = blank;
  private volatile boolean asleep;
  private volatile boolean closed;
  private volatile @Nullable Thread thread;

  /** Gives calls {@code deadline} from their sending. Starts the thread. */
  Deadlines(Duration deadline) {
    this(deadline, true);
  }

  private Deadlines(Duration deadline, boolean byThread) {
    this.deadlineNanos = deadline.toNanos();
    this.timeout =
        new RedisFailure(
            RedisFailure.Kind.TIMEOUT, "no answer within " + DurationWords.duration(deadline));
    if (byThread) {
      Thread daemon = new Thread(this::run, "weir-redis-deadlines");
      daemon.setDaemon(true);
      thread = daemon;
      daemon.start();
    }
  }

  /** Whether this is the thread that ends calls. */
  boolean isThisThread() {
    return isThread(Thread.currentThread());
  }

  /** Deadlines without a thread: calls end only in {@link #expire}. */
  static Deadlines byHand(Duration deadline) {
    return new Deadlines(deadline, false);
  }

  /** Ends {@code scriptCall} by a timeout if it has not ended by its deadline. */
  void watch(ScriptCall scriptCall) {
    append(scriptCall);
    if (asleep) {
      wake();
    }
    if (closed) {
      scriptCall.fail(shutdown);
    }
  }

  private void append(QueueEntry last) {
    QueueEntry before = (QueueEntry) TAIL.getAndSet(this, last);
    before.next = last;
  }

  private void wake() {
    asleep = false;
    LockSupport.unpark(thread);
  }

  private void run() {
    long emptyNanos = 0;
    while (!closed) {
      long now = System.nanoTime();
      long rest = expire(now);
      if (deadlineNanos > SWEEP_NANOS) {
        dropEnded();
        rest = Math.min(rest, SWEEP_NANOS);
      }
      emptyNanos = isEmpty() ? emptyNanos + rest : 0;
      if (emptyNanos > IDLE_NANOS) {
        sleepUntilWoken();
        emptyNanos = 0;
      } else {
        LockSupport.parkNanos(this, rest);
        if (System.nanoTime() - now - rest > LATE_NANOS) {
          LockSupport.parkNanos(this, Math.min(MOMENT_NANOS, deadlineNanos));
        }
      }
    }
    for (QueueEntry each = head.next; each != null; each = each.next) {
      if (each instanceof ScriptCall scriptCall) {
        end(scriptCall, shutdown);
      }
    }
  }

  private void sleepUntilWoken() {
    letGo();
    asleep = true;
    while (asleep && isEmpty() && !closed) {
      LockSupport.park(this);
    }
    asleep = false;
  }

  /** Removes the last call, which has ended but is still the head of the queue. */
  private void letGo() {
    if (head != blank) {
      append(blank);
      expire(System.nanoTime());
    }
  }

  private boolean isEmpty() {
    return tail == head;
  }

  /**
   * Ends all calls that are due at {@code now}, and drops those that have ended. Must be called by
   * one thread at a time.
   *
   * @return how long until the next call is due, in nanoseconds
   */
  long expire(long now) {
    while (true) {
      QueueEntry first = head.next;
      if (first == null) {
        return deadlineNanos;
      }
      if (first instanceof ScriptCall scriptCall && !scriptCall.hasEnded()) {
        long rest = scriptCall.sentNanos() + deadlineNanos - now;
        if (rest > 0) {
          return rest;
        }
        end(scriptCall, timeout);
      }
      // otherwise an ended call in the old generation would keep newer ones reachable
      head.next = null;
      head = first;
    }
  }

  /** Drops all calls that have ended but the last. Must be called by one thread at a time. */
  void dropEnded() {
    QueueEntry before = head;
    QueueEntry each = before.next;
    while (each != null) {
      QueueEntry next = each.next;
      // A sender writes to an entry only while it is the last, so one with a successor is ours.
      if (next != null && (!(each instanceof ScriptCall scriptCall) || scriptCall.hasEnded())) {
        before.next = next;
        each.next = null;
      } else {
        before = each;
      }
      each = next;
    }
  }

  private static void end(ScriptCall scriptCall, RedisFailure redisFailure) {
    try {
      scriptCall.fail(redisFailure);
    } catch (RuntimeException | Error e) { // without this thread no call would time out
      LOG.log(Level.ERROR, "a call could not be ended: " + scriptCall.script(), e);
    }
  }

  /** Whether there was nothing to do for a long time. */
  boolean isAsleep() {
    return asleep;
  }

  boolean isThread(Thread other) {
    return other == thread;
  }

  /** Ends all calls. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }

  /** An entry in the queue; calls are entries themselves. */
  static class QueueEntry {
    private volatile @Nullable QueueEntry next;
  }
}
