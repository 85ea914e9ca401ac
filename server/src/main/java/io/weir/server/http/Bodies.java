package io.weir.server.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.connection.MemoryBudget;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the request bodies of one port, limited in length, in time and in the memory of all bodies
 * together. Thread-safe; does not block.
 */
public final class Bodies {
  /** How long a body may take after its head was received. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private static final int SMALL = 4096;

  private final MemoryBudget halfSent;
  private final @Nullable UnfinishedBodies crowd;

  /**
   * Reads bodies.
   *
   * @param halfSent the memory budget of incomplete bodies
   */
  public Bodies(MemoryBudget halfSent) {
    this(halfSent, null);
  }

  /**
   * Reads bodies, of which one address may leave only so many unfinished.
   *
   * @param crowd null: as many as it likes
   */
  public Bodies(MemoryBudget halfSent, @Nullable UnfinishedBodies crowd) {
    this.halfSent = halfSent;
    this.crowd = crowd;
  }

  /** The memory budget of incomplete bodies. */
  public MemoryBudget halfSent() {
    return halfSent;
  }

  /**
   * Passes the complete body to {@code then}. Any failure of reading or of {@code then} becomes the
   * response: {@link TooLargeException} if the body is longer than {@code longest} bytes, {@link
   * TooSlowException} if it is late, {@link TooManyException} if incomplete bodies use up the
   * memory budget. Must be called before any asynchronous step, else parts of the body are lost.
   */
  public void read(HttpServerRequest request, int longest, Consumer<Buffer> then) {
    new BodyReader(request, longest, PATIENCE, halfSent, crowd, then).read();
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
    if (!halfSent.keep(length)) {
      throw new TooManyException("too many long requests are in progress; try again");
    }
    CompletionStage<T> started;
    try {
      started = stage.get();
    } catch (RuntimeException e) {
      halfSent.release(length);
      throw e;
    }
    return started.whenComplete((result, failure) -> halfSent.release(length));
  }

  /** The body exceeds its limit. */
  public static final class TooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** A body that is longer than {@code longest} bytes. */
    public TooLargeException(int longest) {
      super("the body is too long: the limit is " + longest + " bytes");
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

    TooSlowException(Duration patience) {
      super("the body was not received within " + patience.toSeconds() + " seconds");
    }
  }
}
