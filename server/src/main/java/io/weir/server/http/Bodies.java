package io.weir.server.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.connection.MemoryBudget;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Reads the request bodies of one port, limited in length, in time and in the memory of all bodies
 * together. Thread-safe; does not block.
 */
public final class Bodies {
  /** How long a body may take after its head was received. */
  static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final int SMALL = 4096;

  private final UnfinishedBodies unfinished;

  /**
   * Reads bodies.
   *
   * @param partialBudget the memory budget of incomplete bodies
   */
  public Bodies(MemoryBudget partialBudget) {
    this(new UnfinishedBodies(partialBudget));
  }

  /**
   * Reads bodies.
   *
   * @param unfinished the limits of incomplete bodies
   */
  public Bodies(UnfinishedBodies unfinished) {
    this.unfinished = unfinished;
  }

  /** The limits of incomplete bodies. */
  public UnfinishedBodies unfinished() {
    return unfinished;
  }

  /**
   * Passes the complete body to {@code then}. Any failure of reading or of {@code then} becomes the
   * response. It is a {@link TooLargeException} if the body is longer than {@code maxBytes} bytes,
   * a {@link TooSlowException} if it is late, and a {@link TooManyException} if incomplete bodies
   * use up the memory budget. Must be called before any asynchronous step, else parts of the body
   * are lost.
   */
  public void read(HttpServerRequest request, int maxBytes, Consumer<Buffer> then) {
    new BodyReader(request, maxBytes, TIMEOUT, unfinished, then).read();
  }

  /**
   * Counts a complete body, in the same budget, until {@code stage} completes: what was read from
   * it stays in memory until then. Small bodies are not counted.
   *
   * @throws TooManyException if it exceeds the budget; then {@code stage} is not started
   */
  public <T> CompletionStage<T> keepUntil(int length, Supplier<CompletionStage<T>> stage) {
    if (length <= SMALL) {
      return stage.get();
    }
    MemoryBudget all = unfinished.all();
    if (!all.keep(length)) {
      throw new TooManyException("too many long requests are in progress; try again");
    }
    CompletionStage<T> started;
    try {
      started = stage.get();
    } catch (RuntimeException e) {
      all.release(length);
      throw e;
    }
    return started.whenComplete((result, failure) -> all.release(length));
  }

  /** The body exceeds its limit. */
  public static final class TooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** A body that is longer than {@code maxBytes} bytes. */
    public TooLargeException(int maxBytes) {
      super("the body is too long: the limit is " + maxBytes + " bytes");
    }
  }

  /** Incomplete bodies of other requests use up the memory budget. */
  public static final class TooManyException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooManyException() {
      this("too many bodies are incomplete; try again");
    }

    private TooManyException(String message) {
      super(message);
    }
  }

  /** The body was not complete in time. */
  public static final class TooSlowException extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooSlowException(Duration timeout) {
      super("the body was not received within " + timeout.toSeconds() + " seconds");
    }
  }
}
