package io.weir.server.http;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.match.MalformedRequestException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Collects the parts of one body. */
final class BodyReader {
  /*
   * Most bodies come whole with their head, in one part: it is handed on as it is, and only what
   * does not is counted. A body that is too long is answered at once; what becomes of the rest of it,
   * Leftovers says.
   */

  private final HttpServerRequest request;
  private final int longest;
  private final Duration patience;
  private final Promise<Buffer> whole = Promise.promise();
  private @Nullable Buffer first;
  private @Nullable Buffer all;
  private long announced = -1;
  private long received;
  private final Unfinished unfinished;

  BodyReader(HttpServerRequest request, int longest, Duration patience, KeptBytes halfSent) {
    this.request = request;
    this.longest = longest;
    this.patience = patience;
    this.unfinished = new Unfinished(halfSent, patience.toMillis(), this::giveUp);
  }

  Future<Buffer> read() {
    String length = request.getHeader("Content-Length");
    announced = length == null ? -1 : parsed(length);
    request.handler(this::take);
    request.exceptionHandler(
        broken -> fail(new MalformedRequestException("the body could not be read to its end")));
    request.endHandler(end -> complete());
    unfinished.begin();
    if (announced > longest) {
      fail(new Bodies.TooLarge(longest));
    } else if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
      request.response().writeContinue();
    }
    return whole.future();
  }

  /** What cannot be a length, the connection has refused before; a giant one is too long. */
  private static long parsed(String length) {
    try {
      return Long.parseLong(length);
    } catch (NumberFormatException e) {
      return Long.MAX_VALUE;
    }
  }

  private void take(Buffer part) {
    if (whole.future().isComplete()) {
      return;
    }
    received += part.length();
    if (received > longest) {
      fail(new Bodies.TooLarge(longest));
    } else {
      if (first == null) {
        first = part;
      } else {
        if (all == null) {
          all = Buffer.buffer().appendBuffer(first);
        }
        all.appendBuffer(part);
      }
      if (received != announced) { // else it ends here
        unfinished.keeps(received);
      }
    }
  }

  private void giveUp(Unfinished.Trouble why) {
    fail(
        switch (why) {
          case SLOW -> new Bodies.TooSlow(patience);
          case CROWDED -> new Bodies.TooMany();
        });
  }

  private void complete() {
    unfinished.end();
    whole.tryComplete(all != null ? all : first != null ? first : Buffer.buffer());
  }

  private void fail(Throwable cause) {
    unfinished.end();
    first = null;
    all = null;
    whole.tryFail(cause);
  }
}
