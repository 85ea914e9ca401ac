package io.weir.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.http.Header;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Requires a token: {@code Authorization: Bearer …}, or {@code X-Weir-Token: …} if the former
 * belongs to another party, as when a proxy forwards its client's headers. Thread-safe.
 *
 * <p>The time of a comparison reveals nothing but the length of the presented token.
 */
public final class TokenAuth {
  /** The header for a proxy that forwards its client's {@code Authorization}. */
  public static final String HEADER = "X-Weir-Token";

  private static final CharSequence NAME = HttpHeaders.createOptimized(HEADER);
  private static final String SCHEME = "Bearer ";

  private volatile byte @Nullable [] expected;

  /** Requires {@code token}; requires nothing if it is empty. */
  public TokenAuth(Optional<String> token) {
    expected = token.map(text -> text.getBytes(UTF_8)).orElse(null);
  }

  /**
   * Replaces the required token.
   *
   * @throws IllegalStateException if none was required: handlers were then added without a check
   */
  public void replace(String token) {
    if (expected == null) {
      throw new IllegalStateException("no token was required before");
    }
    expected = token.getBytes(UTF_8);
  }

  /** Whether a token is required. */
  public boolean areRequired() {
    return expected != null;
  }

  /** Whether the request has the token, or needs none. */
  public boolean admits(HttpServerRequest request) {
    byte[] right = expected;
    if (right == null) {
      return true;
    }
    String brought = request.getHeader(NAME);
    if (brought == null) {
      String authorization = request.getHeader(HttpHeaders.AUTHORIZATION);
      boolean isBearer =
          authorization != null && authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
      brought = isBearer ? authorization.substring(SCHEME.length()).strip() : "";
    }
    return MessageDigest.isEqual(right, brought.getBytes(UTF_8));
  }

  /** A handler that refuses requests without the token, and passes others to {@code next}. */
  public Handler<HttpServerRequest> before(Handler<HttpServerRequest> next) {
    return expected == null
        ? next
        : request -> {
          if (admits(request)) {
            next.handle(request);
          } else {
            refuse(request);
          }
        };
  }

  private static void refuse(HttpServerRequest request) {
    HttpResponses.send(
        request,
        HttpResponses.error(401, "unauthorized", "the bearer token is missing or wrong"),
        List.of(new Header("WWW-Authenticate", "Bearer realm=\"weir\"")));
  }
}
