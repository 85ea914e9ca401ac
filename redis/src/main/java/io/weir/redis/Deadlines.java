package io.weir.redis;

import java.lang.System.Logger.Level;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Ends the calls that are not answered in time, to about a millisecond.
 *
 * <p>One daemon thread; a call costs an atomic exchange and no allocation. A call that has ended is
 * let go of within two deadlines.
 */
final class Deadlines implements AutoCloseable {
  /*
   * Every call has the same time, so the one that was sent first is due first: a queue is enough,
   * and only its head is ever looked at. Calls are linked through their own `next`; those who send
   * append with one exchange of the tail, the thread takes from the head.
   *
   *     head (gone) -> oldest -> ... -> youngest = tail
   *
   * The thread sleeps until the oldest call that still waits is due. By then nearly all behind it
   * have been answered and are dropped in passing: with a deadline of 10 ms it wakes about a
   * hundred times a second, however many calls there are. Into an empty queue nobody can come who
   * is due before a whole deadline has passed: so it sleeps that long, and need not be woken, which
   * would cost the caller a system call. After a second without any call it sleeps until woken.
   *
   * If the thread comes late itself, then most likely the whole process was held up, by the garbage
   * collector or for want of a processor, and replies lie unread in the sockets. Those who read
   * them get a moment first; else each long pause would look like a failure of Redis.
   */
  private static final System.Logger LOG = System.getLogger("io.weir.redis");
  private static final long IDLE_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long LATE_NANOS = Duration.ofMillis(2).toNanos();
  private static final long MOMENT_NANOS = Duration.ofMillis(2).toNanos();
  private static final VarHandle TAIL;

  static {
    try {
      TAIL = MethodHandles.lookup().findVarHandle(Deadlines.class, "tail", Place.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long deadlineNanos;
  private final Failure timeout;
  private final Failure shutdown = new Failure(Failure.Kind.DISCONNECTED, "the store is closed");
  private final Place blank = new Place();
  private Place head = blank; // gone already; of the thread
  private volatile Place tail = blank;
  private volatile boolean asleep;
  private volatile boolean closed;
  private volatile @Nullable Thread thread;

  /** Calls get {@code deadline} from when they are sent. Starts the thread. */
  Deadlines(Duration deadline) {
    this(deadline, true);
  }

  private Deadlines(Duration deadline, boolean byThread) {
    this.deadlineNanos = deadline.toNanos();
    this.timeout =
        new Failure(Failure.Kind.TIMEOUT, "no answer within " + Words.duration(deadline));
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

  /** Deadlines without a thread: nothing ends but by {@link #expire}. */
  static Deadlines byHand(Duration deadline) {
    return new Deadlines(deadline, false);
  }

  /** Ends {@code call} by a timeout if it has not ended by its deadline. */
  void watch(Call call) {
    append(call);
    if (asleep) {
      wake();
    }
    if (closed) {
      call.fail(shutdown);
    }
  }

  private void append(Place last) {
    Place before = (Place) TAIL.getAndSet(this, last);
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
    for (Place each = head.next; each != null; each = each.next) {
      if (each instanceof Call call) {
        end(call, shutdown);
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

  /** Takes the last call, which is gone but at the head, out of the queue. */
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
   * Ends all calls that are due at {@code now}, and drops those that have ended. Only by one thread
   * at a time.
   *
   * @return how long nobody is due, in nanoseconds
   */
  long expire(long now) {
    while (true) {
      Place first = head.next;
      if (first == null) {
        return deadlineNanos;
      }
      if (first instanceof Call call && !call.hasEnded()) {
        long rest = call.sentNanos() + deadlineNanos - now;
        if (rest > 0) {
          return rest;
        }
        end(call, timeout);
      }
      head.next = null; // else the old, in an old generation, would keep the young alive
      head = first;
    }
  }

  private static void end(Call call, Failure failure) {
    try {
      call.fail(failure);
    } catch (RuntimeException | Error e) { // without this thread nobody's wait would end
      LOG.log(Level.ERROR, "a call could not be ended: " + call.script(), e);
    }
  }

  /** Whether there was nothing to do for long. */
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

  /** A place in the queue: calls are their own. */
  static class Place {
    private volatile @Nullable Place next;
  }
}
