package io.weir.server.http;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;

/** Reads bodies, as long as they are not too long. */
public final class Bodies {
  private Bodies() {}

  /** The whole body; fails with {@link TooLarge} if it is longer than {@code longest} bytes. */
  public static Future<Buffer> read(HttpServerRequest request, int longest) {
    String announced = request.getHeader("Content-Length");
    if (announced != null && announced.length() > 18) {
      return Future.failedFuture(new TooLarge(longest));
    }
    Promise<Buffer> whole = Promise.promise();
    Buffer body = Buffer.buffer();
    request.handler(
        part -> {
          if (body.length() + part.length() > longest) {
            whole.tryFail(new TooLarge(longest));
          } else {
            body.appendBuffer(part);
          }
        });
    request.exceptionHandler(whole::tryFail);
    request.endHandler(end -> whole.tryComplete(body));
    return whole.future();
  }

  /** The body is longer than it may be. */
  public static final class TooLarge extends RuntimeException {
    private static final long serialVersionUID = 1;

    TooLarge(int longest) {
      super("the body may have " + longest + " bytes");
    }
  }
}
