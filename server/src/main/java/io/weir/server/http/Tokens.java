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
 * Lets in who brings the token: {@code Authorization: Bearer …}, or {@code X-Weir-Token: …} where
 * the first belongs to somebody else, as in a request that a proxy asks about.
 *
 * <p>How long a comparison takes tells nothing but the length of what was brought.
 */
public final class Tokens {
  /** The header of a proxy that passes on its client's {@code Authorization}. */
  public static final String HEADER = "X-Weir-Token";

  private static final CharSequence NAME = HttpHeaders.createOptimized(HEADER);
  private static final String SCHEME = "Bearer ";

  private volatile byte @Nullable [] expected;

  /** Asks for {@code token}; for nothing if there is none. */
  public Tokens(Optional<String> token) {
    expected = token.map(text -> text.getBytes(UTF_8)).orElse(null);
  }

  /**
   * Asks for another token from now on.
   *
   * @throws IllegalStateException if there was none: what relies on it is open already
   */
  public void replace(String token) {
    if (expected == null) {
      throw new IllegalStateException("no token was asked for before");
    }
    expected = token.getBytes(UTF_8);
  }

  /** Whether callers must bring a token. */
  public boolean areRequired() {
    return expected != null;
  }

  /** Whether the request may come in. */
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

  /** Asks for the token before {@code next} sees the request. */
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
    Replies.send(
        request,
        Replies.error(401, "unauthorized", "the bearer token is missing or wrong"),
        List.of(new Header("WWW-Authenticate", "Bearer realm=\"weir\"")));
  }
}
