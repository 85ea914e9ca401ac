package io.weir.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.util.Set;

/**
 * Which requests may be sent again.
 *
 * <p>One that was refused with 429 was not worked on, and one whose connection never came about did
 * not arrive: any may go again, if its body is still there. After everything else nobody knows, and
 * only those may go again that do the same when they come twice.
 */
final class Retrying {
  static final int REFUSED = 429;
  static final int UNAVAILABLE = 503;
  private static final Set<Integer> TROUBLE = Set.of(502, UNAVAILABLE, 504);
  private static final Set<String> IDEMPOTENT =
      Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");

  private Retrying() {}

  static boolean afterStatus(HttpRequest request, int status, Settings settings) {
    boolean isSafe =
        status == REFUSED
            ? settings.retriesAnyRefused() || isIdempotent(request)
            : TROUBLE.contains(status) && isIdempotent(request);
    return isSafe && settings.repeatable().test(request);
  }

  static boolean afterFailure(HttpRequest request, Throwable failure, Settings settings) {
    boolean isConnecting =
        failure instanceof ConnectException || failure instanceof HttpConnectTimeoutException;
    return failure instanceof IOException
        && (isConnecting || isIdempotent(request))
        && settings.repeatable().test(request);
  }

  private static boolean isIdempotent(HttpRequest request) {
    return IDEMPOTENT.contains(request.method())
        || request.headers().firstValue("Idempotency-Key").isPresent();
  }

  /**
   * Whether there is no body, or one of a known length: text, bytes, a file. A stream may be gone
   * when it has been read once.
   */
  static boolean hasRepeatableBody(HttpRequest request) {
    return request.bodyPublisher().map(body -> body.contentLength() >= 0).orElse(true);
  }
}
