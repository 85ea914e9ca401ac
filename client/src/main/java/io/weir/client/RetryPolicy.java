package io.weir.client;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.util.Set;

/**
 * Decides which requests may be retried.
 *
 * <p>A request refused with 429 was not processed, and one without a connection never arrived. Both
 * may be retried if the body can be sent again. After any other failure the outcome is unknown, so
 * only idempotent requests are retried. After a redirect the outcome is unknown as well: if a POST
 * was redirected and the target refused, the POST was processed.
 */
final class RetryPolicy {
  static final int REFUSED = 429;
  private static final Set<Integer> TROUBLE = Set.of(502, 503, 504);
  private static final Set<String> IDEMPOTENT =
      Set.of("GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE");

  private RetryPolicy() {}

  static boolean afterRefusal(
      HttpRequest request, boolean isRedirected, ClientSettings clientSettings) {
    boolean isUntouched = clientSettings.retriesAnyRefused() && !isRedirected;
    return (isUntouched || isIdempotent(request)) && clientSettings.repeatable().test(request);
  }

  static boolean afterTrouble(HttpRequest request, int status, ClientSettings clientSettings) {
    return TROUBLE.contains(status)
        && isIdempotent(request)
        && clientSettings.repeatable().test(request);
  }

  static boolean afterFailure(
      HttpRequest request,
      Throwable failure,
      boolean mayBeRedirected,
      ClientSettings clientSettings) {
    boolean isConnecting =
        failure instanceof ConnectException || failure instanceof HttpConnectTimeoutException;
    return failure instanceof IOException
        && ((isConnecting && !mayBeRedirected) || isIdempotent(request))
        && clientSettings.repeatable().test(request);
  }

  private static boolean isIdempotent(HttpRequest request) {
    return IDEMPOTENT.contains(request.method())
        || request.headers().firstValue("Idempotency-Key").isPresent();
  }

  /**
   * Whether there is no body or one of known length: text, bytes, a file. A stream may be consumed
   * by the first attempt.
   */
  static boolean hasRepeatableBody(HttpRequest request) {
    return request.bodyPublisher().map(body -> body.contentLength() >= 0).orElse(true);
  }
}
