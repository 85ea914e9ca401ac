package io.weir.server.admin;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.http.BrowserRequests;
import io.weir.server.http.HttpResponses;
import io.weir.server.http.TokenAuth;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates admin requests by token. Without a token the port is on loopback: any program on
 * the machine has access, but web pages open in a browser on the machine do not.
 *
 * <p>A web page has two ways to attack. It can have its own name resolved to 127.0.0.1 (DNS
 * rebinding) and read responses as its own origin. Such requests have that name as their host, so
 * only names of this machine are accepted. And it can send cross-origin requests, and infer
 * something from their outcome even where it cannot read the response. Browsers mark these
 * requests, and all of them are refused except for a link to the dashboard. Clients other than
 * browsers send no such mark.
 */
final class AdminAuth {
  private final TokenAuth tokenAuth;
  private final String bind;

  AdminAuth(TokenAuth tokenAuth, String bind) {
    this.tokenAuth = tokenAuth;
    this.bind = bind;
  }

  /** Passes only authenticated requests to {@code next}. */
  Handler<HttpServerRequest> before(Handler<HttpServerRequest> next) {
    return tokenAuth.before(openly(next));
  }

  /**
   * Passes requests without a token too, for pages that reveal nothing, but no cross-origin
   * requests.
   */
  Handler<HttpServerRequest> openly(Handler<HttpServerRequest> next) {
    return request -> {
      String objection = objection(request);
      if (objection == null) {
        next.handle(request);
      } else {
        HttpResponses.send(request, HttpResponses.error(403, "forbidden", objection));
      }
    };
  }

  private @Nullable String objection(HttpServerRequest request) {
    if (!tokenAuth.areRequired() && !BrowserRequests.isForThisMachine(request, bind)) {
      return "without a token this port accepts only requests to localhost, 127.0.0.1, [::1] and"
          + " the address that it listens on";
    }
    if (BrowserRequests.isFromAnotherSite(request) && !isNavigation(request)) {
      return "cross-site requests are refused";
    }
    return null;
  }

  /** Whether the request follows a link to the dashboard as a top-level navigation. */
  private static boolean isNavigation(HttpServerRequest request) {
    return request.method().equals(HttpMethod.GET)
        && "/".equals(request.path())
        && "navigate".equals(request.getHeader("Sec-Fetch-Mode"))
        && "document".equals(request.getHeader("Sec-Fetch-Dest"));
  }
}
