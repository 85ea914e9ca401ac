package io.weir.server.connection;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import org.jspecify.annotations.Nullable;

/**
 * Drains the body of a request whose response was sent before the body was read.
 *
 * <p>The rest is read and discarded, so that a client that is still writing can read the response,
 * and so that the connection can be reused. Beyond a limit of bytes or time, the connection is
 * closed, or the HTTP/2 stream reset.
 */
public final class BodyDrainer {
  /* An HTTP/2 stream has its own flow-control window, so an unread body does no harm. Some clients
   * hang if a stream is reset before they have sent everything. So a stream gets more time and
   * bytes than an HTTP/1 connection.
   *
   * Most requests have no body, and most bodies arrive with their head. So the timer starts only
   * after the event loop has passed on everything that it has read.
   */

  private static final long MAX_BYTES = 1024 * 1024;
  private static final long MAX_BYTES_OF_STREAM = 16L * 1024 * 1024;
  private static final long PATIENCE_MILLIS = 10_000;
  private static final long STREAM_TIMEOUT_MILLIS = 60_000;

  /** HTTP/2's NO_ERROR: the response was complete. */
  private static final long NO_ERROR = 0;

  private final HttpServerRequest request;
  private final boolean isStream;
  private final long maxBytes;
  private long bytes;
  private boolean isOver;
  private @Nullable Vertx timed;
  private long timer;

  private BodyDrainer(HttpServerRequest request, boolean isStream, long maxBytes) {
    this.request = request;
    this.isStream = isStream;
    this.maxBytes = isStream ? MAX_BYTES_OF_STREAM : maxBytes;
  }

  /** Discards the rest of a request after its response, if any. Called on its event loop. */
  public static void discard(HttpServerRequest request) {
    discard(request, MAX_BYTES, PATIENCE_MILLIS);
  }

  /** {@link #discard(HttpServerRequest)} with other limits for HTTP/1. */
  static void discard(HttpServerRequest request, long maxBytes, long timeoutMillis) {
    if (request.isEnded()) {
      return;
    }
    boolean isStream = request.version() == HttpVersion.HTTP_2;
    if (isStream || announcesBody(request)) {
      new BodyDrainer(request, isStream, maxBytes)
          .begin(isStream ? STREAM_TIMEOUT_MILLIS : timeoutMillis);
    }
  }

  private static boolean announcesBody(HttpServerRequest request) {
    return request.headers().contains(HttpHeaders.CONTENT_LENGTH)
        || request.headers().contains(HttpHeaders.TRANSFER_ENCODING);
  }

  private void begin(long timeoutMillis) {
    request.handler(this::forget);
    request.endHandler(end -> over());
    request.exceptionHandler(gone -> over());
    request.resume();
    Context context = ((HttpServerRequestInternal) request).context();
    context.runOnContext(later -> time(context.owner(), timeoutMillis));
  }

  private void time(Vertx vertx, long timeoutMillis) {
    if (!isOver) {
      timed = vertx;
      timer = vertx.setTimer(timeoutMillis, late -> cut());
    }
  }

  private void forget(Buffer part) {
    bytes += part.length();
    if (bytes > maxBytes && !isOver) {
      cut();
    }
  }

  private void cut() {
    over();
    if (request.isEnded()) {
      return;
    }
    if (isStream) {
      request.response().reset(NO_ERROR);
    } else {
      ForceClose.now(request.connection());
    }
  }

  private void over() {
    isOver = true;
    if (timed != null) {
      timed.cancelTimer(timer);
      timed = null;
    }
  }
}
