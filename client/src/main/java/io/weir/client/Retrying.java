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
 * only those may go again that do the same when they come twice. Behind a redirect nobody knows
 * either: who was sent from a POST to what came of it, and is refused there, has been worked on.
 */
final class Retrying {
  static final int REFUSED = 429;
  private static final Set<Integer> TROUBLE = Set.of(502, 503, 504);
  private static final Set<String> IDEMPOTENT =
      Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");

  private Retrying() {}

  static boolean afterRefusal(HttpRequest request, boolean isRedirected, Settings settings) {
    boolean isUntouched = settings.retriesAnyRefused() && !isRedirected;
    return (isUntouched || isIdempotent(request)) && settings.repeatable().test(request);
  }

  static boolean afterTrouble(HttpRequest request, int status, Settings settings) {
    return TROUBLE.contains(status) && isIdempotent(request) && settings.repeatable().test(request);
  }

  static boolean afterFailure(
      HttpRequest request, Throwable failure, boolean mayBeRedirected, Settings settings) {
    boolean isConnecting =
        failure instanceof ConnectException || failure instanceof HttpConnectTimeoutException;
    return failure instanceof IOException
        && ((isConnecting && !mayBeRedirected) || isIdempotent(request))
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
