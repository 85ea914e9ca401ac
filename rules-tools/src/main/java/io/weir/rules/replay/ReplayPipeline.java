package io.weir.rules.replay;

import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Reads, decides and counts blocks, in three threads if there is more than one processor, else in
 * turns.
 *
 * <p>Deciding stays in the caller's thread. All three stages see the blocks in the order of the
 * trace, and each is at most a few blocks ahead of the next.
 */
final class ReplayPipeline {
  private static final int BLOCKS_BETWEEN = 4;
  private static final long MAX_JOIN_MILLIS = 2000;

  /** Decides on a block. */
  interface Decide {
    BlockCounter.Decided on(Block block) throws IOException;
  }

  private final Trace trace;
  private final Decide decide;
  private final BlockCounter blockCounter;
  private final BlockingQueue<Step<Block>> read = new ArrayBlockingQueue<>(BLOCKS_BETWEEN);
  private final BlockingQueue<Step<BlockCounter.Decided>> decided =
      new ArrayBlockingQueue<>(BLOCKS_BETWEEN);
  // a record without a block marks the end
  private final Step<Block> endOfReading = new Step<>(null);
  private volatile @Nullable Throwable failure;

  ReplayPipeline(Trace trace, Decide decide, BlockCounter blockCounter) {
    this.trace = trace;
    this.decide = decide;
    this.blockCounter = blockCounter;
  }

  /** A block that is handed over; null at the end. */
  private record Step<T extends Object>(@Nullable T thing) {}

  void run() throws IOException {
    if (Runtime.getRuntime().availableProcessors() == 1) {
      for (Block block = trace.nextBlock(); block != null; block = trace.nextBlock()) {
        blockCounter.count(decide.on(block));
      }
      return;
    }
    Thread reader = new Thread(() -> untilInterrupted(this::readAll), "weir-replay-reader");
    Thread counter = new Thread(() -> untilInterrupted(this::countAll), "weir-replay-counter");
    reader.setDaemon(true);
    counter.setDaemon(true);
    reader.start();
    counter.start();
    try {
      decideAll();
      counter.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while replaying " + trace.name(), e);
    } finally {
      end(reader, counter);
    }
    rethrow();
  }

  /**
   * The caller closes the trace next, so the reader must have stopped by then. A reader that waits
   * for keyboard input cannot be interrupted, so this wait is limited.
   */
  private static void end(Thread reader, Thread counter) {
    boolean wasInterrupted = Thread.interrupted();
    reader.interrupt();
    counter.interrupt();
    try {
      reader.join(MAX_JOIN_MILLIS);
      counter.join(MAX_JOIN_MILLIS);
    } catch (InterruptedException e) {
      wasInterrupted = true;
    }
    if (wasInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void readAll() throws InterruptedException {
    try {
      Block block = trace.nextBlock();
      while (block != null && failure == null) {
        read.put(new Step<>(block));
        block = trace.nextBlock();
      }
    } catch (RuntimeException | Error e) {
      failure = e;
    }
    read.put(endOfReading);
  }

  private void decideAll() throws IOException, InterruptedException {
    Block block = read.take().thing();
    while (block != null && failure == null) {
      decided.put(new Step<>(decide.on(block)));
      block = read.take().thing();
    }
    decided.put(new Step<>(null));
  }

  private void countAll() throws InterruptedException {
    for (BlockCounter.Decided next = decided.take().thing();
        next != null;
        next = decided.take().thing()) {
      if (failure == null) {
        count(next);
      }
    }
  }

  /**
   * After a failure, blocks are still taken from the queue but not counted, so that no stage blocks
   * for ever.
   */
  private void count(BlockCounter.Decided next) {
    try {
      blockCounter.count(next);
    } catch (RuntimeException | Error e) {
      failure = e;
    }
  }

  /** A part of the work that runs in a thread of its own. */
  private interface Part {
    void run() throws InterruptedException;
  }

  private static void untilInterrupted(Part part) {
    try {
      part.run();
    } catch (InterruptedException e) {
      // The rest is not needed.
    }
  }

  private void rethrow() {
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure instanceof RuntimeException exception) {
      throw exception;
    }
  }
}
