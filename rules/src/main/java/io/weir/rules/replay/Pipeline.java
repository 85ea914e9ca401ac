package io.weir.rules.replay;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/** Reads the blocks of a trace ahead, in a thread of its own where there is a processor for it. */
final class Pipeline implements AutoCloseable {
  private static final int BLOCKS_AHEAD = 8;

  private final Trace trace;
  private final @Nullable Thread reader;
  private final BlockingQueue<Batch> ahead = new ArrayBlockingQueue<>(BLOCKS_AHEAD);

  /** A block, or the end of them, or what went wrong. */
  private record Batch(@Nullable Block block, @Nullable Throwable failure) {}

  Pipeline(Trace trace) {
    this.trace = trace;
    if (Runtime.getRuntime().availableProcessors() > 1) {
      reader = new Thread(this::readAhead, "weir-trace-reader");
      reader.setDaemon(true);
      reader.start();
    } else {
      reader = null;
    }
  }

  /** The next block; null at the end. */
  @Nullable Block next() {
    if (reader == null) {
      return trace.nextBlock();
    }
    Batch batch;
    try {
      batch = ahead.take();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while replaying " + trace.name(), e);
    }
    if (batch.failure() instanceof Error error) {
      throw error;
    }
    if (batch.failure() != null) {
      throw new IllegalStateException("could not read " + trace.name(), batch.failure());
    }
    return batch.block();
  }

  @SuppressWarnings("CatchAndPrintStackTrace")
  private void readAhead() {
    try {
      Batch batch;
      do {
        batch = read();
        ahead.put(batch);
      } while (batch.block() != null);
    } catch (InterruptedException e) {
      // Closed: nobody wants the rest.
    }
  }

  private Batch read() {
    try {
      return new Batch(trace.nextBlock(), null);
    } catch (RuntimeException | Error e) {
      return new Batch(null, e);
    }
  }

  /** Reads no further. */
  @Override
  public void close() {
    if (reader != null) {
      reader.interrupt();
    }
  }
}
