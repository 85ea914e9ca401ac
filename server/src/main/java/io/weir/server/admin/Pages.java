package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.http.Answer;
import io.weir.rules.http.Header;
import io.weir.server.http.Replies;
import java.util.List;

/** What the admin port shows: fresh, and for nobody to embed. */
final class Pages {
  private static final Header FRESH = new Header("Cache-Control", "no-store");
  private static final Header AS_SAID = new Header("X-Content-Type-Options", "nosniff");
  private static final Header NOTHING_ELSE =
      new Header("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");

  private static final String FRONT =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head><meta charset="utf-8"><title>Weir</title></head>
      <body>
      <h1>Weir</h1>
      <p>The admin port of this node.</p>
      <ul>
      <li><a href="/metrics">/metrics</a>: counters, for Prometheus</li>
      <li><a href="/health/live">/health/live</a>, <a href="/health/ready">/health/ready</a></li>
      <li><a href="/v1/rules">/v1/rules</a>: the rules in force</li>
      <li>/v1/keys?rule=RULE&amp;ATTRIBUTE=VALUE: how a caller stands with a rule (GET), as good as
      new (DELETE)</li>
      <li>/v1/keys/grant?rule=RULE&amp;ATTRIBUTE=VALUE&amp;permits=10: permits given back (POST)</li>
      <li><a href="/openapi.yaml">/openapi.yaml</a>: all of this for programs</li>
      </ul>
      </body>
      </html>
      """;

  private Pages() {}

  static Answer front() {
    return page("text/html; charset=utf-8", FRONT);
  }

  static Answer json(String body) {
    return page("application/json", body);
  }

  static Answer page(String type, String body) {
    return new Answer(200, headers(type), body);
  }

  /** The headers of a page. */
  static List<Header> headers(String type) {
    return List.of(new Header("Content-Type", type), FRESH, AS_SAID, NOTHING_ELSE);
  }

  static void send(HttpServerRequest request, Answer page) {
    Replies.send(request, page);
  }
}
