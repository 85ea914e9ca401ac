package io.weir.server.admin;

import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.Header;
import java.util.List;

/** Response headers of the admin port: no caching and no embedding. */
final class AdminResponses {
  private static final Header FRESH = new Header("Cache-Control", "no-store");

  /** The headers of every response; browsers then withhold it from pages of other origins. */
  static final List<Header> ALWAYS =
      List.of(
          new Header("X-Content-Type-Options", "nosniff"),
          new Header("Cross-Origin-Resource-Policy", "same-origin"));

  private static final Header NOTHING_ELSE =
      new Header("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");

  private AdminResponses() {}

  static DirectResponse json(String body) {
    return page("application/json", body);
  }

  static DirectResponse page(String type, String body) {
    return new DirectResponse(200, headers(type), body);
  }

  /** The headers of a page. */
  static List<Header> headers(String type) {
    return List.of(new Header("Content-Type", type), FRESH, NOTHING_ELSE);
  }
}
