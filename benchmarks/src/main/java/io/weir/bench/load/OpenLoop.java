package io.weir.bench.load;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Requests at random times with a given mean rate, independent of the responses. A request that
 * finds no free connection waits for one. Its response time counts from the moment when it was due.
 *
 * <p>It never sleeps, since a sleep would be too long, but yields to other threads on its core.
 */
final class OpenLoop {
  private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final long SEED = 1;

  private final Queue<Connection> idle;
  private final int connections;
  private final Selector selector;
  private final double meanNanos;
  private final SplittableRandom random = new SplittableRandom(SEED);
  private final Histogram times = new Histogram(MAX_NANOS, 3);
  private final Histogram lateness = new Histogram(MAX_NANOS, 3);

  OpenLoop(Collection<Connection> connections, Selector selector, double perSecond) {
    this.idle = new ArrayDeque<>(connections);
    this.connections = connections.size();
    this.selector = selector;
    this.meanNanos = 1e9 / perSecond;
  }

  /** The response times in nanoseconds. */
  Histogram times() {
    return times;
  }

  /** The delays of requests although a connection was free, which are the load generator's own. */
  Histogram lateness() {
    return lateness;
  }

  /** Sends requests for this time, and waits for the responses. */
  void run(long millis) throws IOException {
    long start = System.nanoTime();
    long length = TimeUnit.MILLISECONDS.toNanos(millis);
    double due = gap();
    boolean isHeldUp = false;
    while (due < length || idle.size() < connections) {
      long now = System.nanoTime() - start;
      while (due <= now && due < length && !idle.isEmpty()) {
        if (!isHeldUp) {
          lateness.recordValue(now - (long) due);
        }
        send(idle.remove(), start + (long) due);
        due += gap();
      }
      isHeldUp = due <= now;
      if (selector.selectNow() == 0) {
        if (now > length + TIMEOUT_NANOS) {
          throw new IOException("the server cannot keep up");
        }
        Thread.yield();
      } else {
        receive();
      }
    }
  }

  private double gap() {
    return -Math.log(1 - random.nextDouble()) * meanNanos;
  }

  private static void send(Connection connection, long due) throws IOException {
    connection.setDue(due);
    connection.writeRequests();
    connection.send();
  }

  private void receive() throws IOException {
    for (SelectionKey key : selector.selectedKeys()) {
      Connection connection = (Connection) key.attachment();
      int before = connection.underWay();
      connection.receive(false);
      if (before > 0 && connection.underWay() == 0) {
        times.recordValue(Math.min(MAX_NANOS, System.nanoTime() - connection.due()));
        idle.add(connection);
      }
    }
    selector.selectedKeys().clear();
  }
}
