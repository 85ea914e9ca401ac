package io.weir.server.http;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.match.Address;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.connection.MemoryBudget;
import io.weir.server.connection.PartialMessage;
import io.weir.server.connection.TimeoutSweeper;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Collects the parts of one body. A failure becomes the response to its request. */
final class BodyReader extends PartialMessage implements Handler<Buffer> {
  /* Most bodies arrive with their head, in one part, which is passed on without a copy. Only
   * incomplete bodies count against the memory budget. A body that is too long is refused at once.
   */

  private final HttpServerRequest request;
  private final int longest;
  private final Duration patience;
  private final Consumer<Buffer> then;
  private @Nullable Buffer body; // the first part, or a copy of all
  private boolean isCopied;
  private boolean isOver;
  private long announced = -1;
  private long received;
  private final @Nullable UnfinishedBodies crowd;
  private @Nullable Address countedBy;
  private boolean wasLookedAt;

  /**
   * Does not read yet.
   *
   * @param crowd counts the body if it is late; null: it is not counted
   * @param then receives the complete body
   */
  BodyReader(
      HttpServerRequest request,
      int longest,
      Duration patience,
      MemoryBudget halfSent,
      @Nullable UnfinishedBodies crowd,
      Consumer<Buffer> then) {
    super(halfSent, patience.toMillis());
    this.crowd = crowd;
    this.request = request;
    this.longest = longest;
    this.patience = patience;
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
    if (announced > longest) {
      fail(new Bodies.TooLargeException(longest));
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
    if (received > longest) {
      fail(new Bodies.TooLargeException(longest));
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

  /** From the first look on, it is one of those that its client has not ended. */
  @Override
  public void look() {
    if (!wasLookedAt) {
      wasLookedAt = true;
      join();
    }
    super.look();
  }

  private void join() {
    if (crowd == null) {
      return;
    }
    Address address = crowd.countedBy(PeerAddress.of(request));
    countedBy = address;
    if (address != null && crowd.add(address)) {
      TimeoutSweeper.here()
          .all(BodyReader.class)
          .filter(each -> Objects.equals(each.countedBy, address))
          .reduce((newer, older) -> older)
          .ifPresent(oldest -> oldest.giveUp(AbortReason.SLOW));
    }
  }

  @Override
  public void end() {
    Address address = countedBy;
    if (address != null && crowd != null) {
      countedBy = null;
      crowd.remove(address);
    }
    super.end();
  }

  @Override
  public void giveUp(AbortReason why) {
    fail(
        switch (why) {
          case SLOW -> new Bodies.TooSlowException(patience);
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
    body = null; // the request refers to this until it is answered
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
