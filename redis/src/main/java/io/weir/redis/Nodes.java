package io.weir.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How many stores share the buckets: each tells Redis every second that it is there.
 *
 * <p>One call a second. A node that has not told for five seconds is counted no more. While Redis
 * cannot be asked, the last count holds. More nodes are believed at once, fewer after six seconds:
 * a Redis that has lost its data knows only those that have told since, and for a moment everybody
 * would take all for their share.
 *
 * <p>The number is unknown until Redis has been heard, unless it is given or remembered in a file.
 * A file holds the largest number of the last ten minutes: of nodes that stop one after the other
 * the last has heard of few, and all of them may start again while Redis is away.
 */
final class Nodes implements AutoCloseable {
  static final Script SCRIPT = Script.of("nodes");

  private static final long BEAT_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int BEATS_UNTIL_FEWER = 6;
  private static final int BEATS_UNTIL_FORGOTTEN = 600; // ten minutes
  private static final int BEATS_OF_A_START = 2;
  private static final int BEATS_OF_A_SLOW_START = 10;
  private static final byte[] PRESENT = "5000".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] GONE = "0".getBytes(StandardCharsets.US_ASCII);

  private final Desk desk;
  private final Timer timer;
  private final byte[] key;
  private final byte[] id;
  private final int least;
  private final int[] seen = new int[BEATS_UNTIL_FEWER]; // by the last beats
  private final @Nullable NodesFile file;
  private final Consumer<String> warnings;
  private int beats;
  private int remembered; // in the file, or to be
  private int beatsBelow; // in a row with fewer than are remembered
  private int mostBelow; // in these
  private boolean isNeeded;
  private boolean hasHeard;
  private boolean hasFailed;
  private boolean hasWarned;
  private int asked; // beats
  private volatile Start start = Start.WITHOUT_REDIS;
  private volatile boolean isKnown;
  private volatile int count;
  private volatile boolean closed;

  /**
   * Begins to tell, at once.
   *
   * @param prefix what the names of all keys begin with
   * @param least how many nodes there are at least, whatever is seen; empty if that is unknown
   * @param file where the number is remembered; null: nowhere
   */
  Nodes(
      String prefix,
      OptionalInt least,
      @Nullable NodesFile file,
      Desk desk,
      Timer timer,
      Consumer<String> warnings) {
    this.file = file;
    this.warnings = warnings;
    this.desk = desk;
    this.timer = timer;
    this.key = (prefix + ":nodes").getBytes(StandardCharsets.UTF_8);
    this.id = id();
    this.least = Math.max(1, least.orElse(1));
    OptionalInt before = file == null ? OptionalInt.empty() : file.read();
    this.remembered = before.orElse(0);
    this.seen[0] = remembered;
    this.beats = 1;
    this.count = Math.max(this.least, remembered);
    this.isKnown = least.isPresent() || before.isPresent();
    timer.after(0, this::beat);
  }

  private static byte[] id() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return String.format("%016x%016x", random.nextLong(), random.nextLong())
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** Asks now, unless Redis has been heard, rather than with the next beat. */
  void ask() {
    boolean isDue;
    synchronized (this) {
      isDue = !hasHeard;
      hasFailed &= !isDue;
    }
    if (isDue) {
      desk.ask(new Beat(PRESENT));
    }
  }

  /** Whether Redis has been heard, or has failed to answer. */
  synchronized boolean isDecided() {
    return hasHeard || hasFailed;
  }

  /** Whether Redis answered when this process began. */
  enum Start {
    /** In two seconds. */
    WITH_REDIS,
    /** In ten: it may have been away before, or this process was slow. */
    SLOWLY,
    /** Later, or not yet: a process before this one may have decided without it. */
    WITHOUT_REDIS
  }

  Start start() {
    return start;
  }

  /** Whether the number is given, remembered or heard. */
  boolean isKnown() {
    return isKnown;
  }

  /** From now on decisions depend on the number: it is remembered, and must be known. */
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

  /** How many there are, this one included; at least 1 if that is unknown. */
  int count() {
    return count;
  }

  private void beat() {
    if (!closed) {
      synchronized (this) {
        asked++;
      }
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
    if (!hasHeard && asked <= BEATS_OF_A_SLOW_START) {
      start = asked <= BEATS_OF_A_START ? Start.WITH_REDIS : Start.SLOWLY;
    }
    hasHeard = true;
    isKnown = true;
    if (nodes >= remembered) {
      remembered = nodes;
      beatsBelow = 0;
      mostBelow = 0;
    } else {
      mostBelow = Math.max(mostBelow, nodes);
      if (++beatsBelow >= BEATS_UNTIL_FORGOTTEN) {
        remembered = mostBelow;
        beatsBelow = 0;
        mostBelow = 0;
      }
    }
    remember();
  }

  private synchronized void failed() {
    hasFailed = true;
    warnIfUnknown();
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
      if (!closed) { // the reply to a good-bye counts only the others
        saw((int) Math.min(reply[0], Integer.MAX_VALUE));
      }
    }

    @Override
    void onFailure(Failure failure) {
      failed(); // the last count holds
    }
  }
}
