package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Standard output that keeps the reason of a failed write; a {@link PrintWriter} alone only knows
 * that a write failed.
 */
final class StandardOutput extends PrintWriter {
  private final FailureRecordingStream stream;

  private StandardOutput(FailureRecordingStream stream) {
    super(stream, true, UTF_8);
    this.stream = stream;
  }

  static StandardOutput over(OutputStream stream) {
    return new StandardOutput(new FailureRecordingStream(stream));
  }

  /**
   * Throws if a write to {@code writer} failed.
   *
   * @throws BrokenPipeException if the reader, such as {@code head}, has closed the pipe
   */
  static void check(PrintWriter writer) throws IOException {
    if (!writer.checkError()) {
      return;
    }
    IOException cause = writer instanceof StandardOutput standard ? standard.stream.failure : null;
    String reason = cause == null ? "closed" : String.valueOf(cause.getMessage());
    // Java exposes the reason only in the system's message.
    if (reason.toLowerCase(Locale.ROOT).contains("pipe")) {
      throw new BrokenPipeException();
    }
    throw new IOException("standard output: " + reason, cause);
  }

  /** The reader of standard output has closed it, which is not an error and not reported. */
  static final class BrokenPipeException extends IOException {
    private static final long serialVersionUID = 1;

    BrokenPipeException() {
      super("the reader of standard output has closed it");
    }
  }

  /** A stream that remembers its first failure. */
  private static final class FailureRecordingStream extends OutputStream {
    private final OutputStream stream;
    private @Nullable IOException failure;

    FailureRecordingStream(OutputStream stream) {
      this.stream = stream;
    }

    @Override
    public void write(int b) throws IOException {
      write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      try {
        stream.write(bytes, offset, length);
      } catch (IOException e) {
        failure = failure == null ? e : failure;
        throw e;
      }
    }

    @Override
    public void close() throws IOException {
      stream.close();
    }
  }
}
