package io.weir.server.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the bodies of one port, as long as they are neither too long nor too slow nor too many. */
public final class Bodies {
  /** How long a body may take once its head is there. */
  static final Duration PATIENCE = Duration.ofSeconds(10);

  private final KeptBytes halfSent;
  private final @Nullable UnfinishedBodies crowd;

  /**
   * Reads bodies.
   *
   * @param halfSent what those are counted among that have not come whole
   */
  public Bodies(KeptBytes halfSent) {
    this(halfSent, null);
  }

  /**
   * Reads bodies, of which one address may leave only so many unfinished.
   *
   * @param crowd null: as many as it likes
   */
  public Bodies(KeptBytes halfSent, @Nullable UnfinishedBodies crowd) {
    this.halfSent = halfSent;
    this.crowd = crowd;
  }

  /** What those are counted among that have not come whole. */
  public KeptBytes halfSent() {
    return halfSent;
  }

  /**
   * Hands the whole body to {@code then}; whatever goes wrong, there and before, becomes the
   * answer: {@link TooLarge} if it is longer than {@code longest} bytes, {@link TooSlow} if it
   * trickles, {@link TooMany} if others take all the room. To be called before anything else is
   * awaited.
   */
  public void read(HttpServerRequest request, int longest, Consumer<Buffer> then) {
    new BodyReader(request, longest, PATIENCE, halfSent, crowd, then).read();
  }

  /** The body is longer than it may be. */
  public static final class TooLarge extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** A body that may have {@code longest} bytes. */
    public TooLarge(int longest) {
      super("the body is too long: it may have " + longest + " bytes");
    }
  }

  /** So many bodies have come by halves that there is no room for this one. */
  public static final class TooMany extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooMany() {
      super("too many bodies have come by halves; try again");
    }
  }

  /** The body comes so slowly that nobody waits for it. */
  public static final class TooSlow extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooSlow(Duration patience) {
      super("the body did not come within " + patience.toSeconds() + " seconds");
    }
  }
}
