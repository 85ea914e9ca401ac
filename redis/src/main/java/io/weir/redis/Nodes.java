package io.weir.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;

/**
 * How many stores share the buckets: each tells Redis every second that it is there.
 *
 * <p>One call a second. A node that has not told for five seconds is counted no more. While Redis
 * cannot be asked, the last count holds. More nodes are believed at once, fewer after six seconds:
 * a Redis that has lost its data knows only those that have told since, and for a moment everybody
 * would take all for their share.
 */
final class Nodes implements AutoCloseable {
  static final Script SCRIPT = Script.of("nodes");

  private static final long BEAT_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int BEATS_UNTIL_FEWER = 6;
  private static final byte[] PRESENT = "5000".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] GONE = "0".getBytes(StandardCharsets.US_ASCII);

  private final Desk desk;
  private final Timer timer;
  private final byte[] key;
  private final byte[] id;
  private final int least;
  private final int[] seen = new int[BEATS_UNTIL_FEWER]; // by the last beats
  private int beats;
  private volatile int count;
  private volatile boolean closed;

  /**
   * Begins to tell, at once.
   *
   * @param prefix what the names of all keys begin with
   * @param least how many nodes there are at least, whatever is seen: 1 unless somebody knows
   */
  Nodes(String prefix, int least, Desk desk, Timer timer) {
    this.desk = desk;
    this.timer = timer;
    this.key = (prefix + ":nodes").getBytes(StandardCharsets.UTF_8);
    this.id = id();
    this.least = Math.max(1, least);
    this.count = this.least;
    timer.after(0, this::beat);
  }

  private static byte[] id() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return String.format("%016x%016x", random.nextLong(), random.nextLong())
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** How many there are, this one included. */
  int count() {
    return count;
  }

  private void beat() {
    if (!closed) {
      timer.after(BEAT_NANOS, this::beat);
      desk.ask(new Beat(PRESENT));
    }
  }

  /** Says good-bye, so that the others need not wait for it, if Redis can be told just now. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      desk.ask(new Beat(GONE));
    }
  }

  private synchronized void saw(int nodes) {
    seen[Math.floorMod(beats++, seen.length)] = nodes;
    count = Math.max(least, Arrays.stream(seen).max().orElse(least));
  }

  private final class Beat extends Call {
    Beat(byte[] millis) {
      super(SCRIPT, new byte[][] {key}, new byte[][] {id, millis});
    }

    @Override
    boolean isReply(long[] reply) {
      return reply.length == 1 && reply[0] >= 0;
    }

    @Override
    void onAnswer(long[] reply) {
      saw((int) Math.min(reply[0], Integer.MAX_VALUE));
    }

    @Override
    void onFailure(Failure failure) {
      // The last count holds.
    }
  }
}
