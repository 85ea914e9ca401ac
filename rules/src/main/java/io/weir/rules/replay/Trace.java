package io.weir.rules.replay;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A recording of requests, read from beginning to end in constant memory: CSV with a header line,
 * or an access log in the common or the combined format; compressed by gzip or not.
 *
 * <p>A line that is no request is left out and counted: see {@link #faults}. Not for use by several
 * threads at once.
 */
public final class Trace implements AutoCloseable {
  /** What a trace is written in. */
  public enum Format {
    /** Comma-separated values with a header line. */
    CSV("CSV"),
    /** An access log in the common or the combined format. */
    ACCESS_LOG("access log");

    private final String text;

    Format(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  private Trace() {}

  /**
   * Opens a file.
   *
   * @throws InvalidTraceException if it is of no known format
   * @throws IOException if it cannot be read
   */
  public static Trace open(Path file) throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  /**
   * Reads a stream, such as standard input.
   *
   * @param name what messages call it
   * @throws InvalidTraceException if it is of no known format
   * @throws IOException if it cannot be read
   */
  public static Trace open(String name, InputStream in) throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  /** Its name in messages. */
  public String name() {
    throw new UnsupportedOperationException("not yet");
  }

  /** What it is written in. */
  public Format format() {
    throw new UnsupportedOperationException("not yet");
  }

  /** The attributes that its requests may have, in the order of the columns. */
  public List<String> attributes() {
    throw new UnsupportedOperationException("not yet");
  }

  /** The next request; null at the end. */
  public @Nullable TraceRequest next() {
    throw new UnsupportedOperationException("not yet");
  }

  /** The lines that were left out so far. */
  public Faults faults() {
    throw new UnsupportedOperationException("not yet");
  }

  /** Why it ended before its end, if it did: cut off, damaged, or not to be read any further. */
  public Optional<String> cut() {
    throw new UnsupportedOperationException("not yet");
  }

  /** How much was read, as it is on disk. */
  public long bytesRead() {
    throw new UnsupportedOperationException("not yet");
  }

  /** How large it is on disk; empty for a stream. */
  public OptionalLong size() {
    throw new UnsupportedOperationException("not yet");
  }

  @Override
  public void close() throws IOException {}
}
