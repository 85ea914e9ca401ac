package io.weir.server.http;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.match.MalformedRequestException;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Collects the parts of one body. A failure becomes the response to its request. */
final class BodyReader extends UnfinishedBody implements Handler<Buffer> {
  /* Most bodies arrive with their head, in one part, which is passed on without a copy. Only
   * incomplete bodies count against the memory budget. A body that is too long is refused at once.
   */

  private final HttpServerRequest request;
  private final int maxBytes;
  private final Duration timeout;
  private final Consumer<Buffer> then;
  private @Nullable Buffer body; // the first part, or a copy of all
  private boolean isCopied;
  private boolean isOver;
  private long announced = -1;
  private long received;

  /**
   * Does not read yet.
   *
   * @param unfinished the limits of incomplete bodies
   * @param then receives the complete body
   */
  BodyReader(
      HttpServerRequest request,
      int maxBytes,
      Duration timeout,
      UnfinishedBodies unfinished,
      Consumer<Buffer> then) {
    super(request, unfinished, timeout.toMillis());
    this.request = request;
    this.maxBytes = maxBytes;
    this.timeout = timeout;
    this.then = then;
  }

  void read() {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    announced = length == null ? -1 : parsed(length);
    request.handler(this);
    request.exceptionHandler(
        broken -> fail(new MalformedRequestException("the body ended before it was complete")));
    request.endHandler(end -> complete());
    begin();
    if (announced > maxBytes) {
      fail(new Bodies.TooLargeException(maxBytes));
    } else if ("100-continue".equalsIgnoreCase(request.getHeader(HttpHeaders.EXPECT))) {
      request.response().writeContinue();
    }
  }

  /** Parses the length, validated by the decoder; a length that overflows is too long. */
  private static long parsed(String length) {
    try {
      return Long.parseLong(length);
    } catch (NumberFormatException e) {
      return Long.MAX_VALUE;
    }
  }

  @Override
  public void handle(Buffer part) {
    if (isOver) {
      return;
    }
    received += part.length();
    if (received > maxBytes) {
      fail(new Bodies.TooLargeException(maxBytes));
      return;
    }
    add(part);
    if (received != announced) { // else it is complete
      keeps(received);
    }
  }

  private void add(Buffer part) {
    Buffer before = body;
    if (before == null) {
      body = part;
    } else if (isCopied) {
      before.appendBuffer(part);
    } else {
      body = Buffer.buffer().appendBuffer(before).appendBuffer(part);
      isCopied = true;
    }
  }

  @Override
  public void giveUp(AbortReason why) {
    fail(
        switch (why) {
          case SLOW, DISPLACED -> new Bodies.TooSlowException(timeout);
          case CROWDED -> new Bodies.TooManyException();
        });
  }

  private void complete() {
    if (isOver) {
      return;
    }
    isOver = true;
    end();
    Buffer whole = body == null ? Buffer.buffer() : body;
    body = null; // the request refers to this until its response is sent
    HttpResponses.orFailure(request, whole, then);
  }

  private void fail(RuntimeException cause) {
    if (!isOver) {
      isOver = true;
      end();
      body = null;
      HttpResponses.sendFailure(request, cause);
    }
  }
}
