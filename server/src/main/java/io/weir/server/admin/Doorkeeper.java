package io.weir.server.admin;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.http.BrowserRequests;
import io.weir.server.http.Replies;
import io.weir.server.http.Tokens;
import org.jspecify.annotations.Nullable;

/**
 * Who may come in: whoever has the token. Without one the port is on loopback, where everybody on
 * the machine may come in, but no web page that somebody on the machine happens to look at.
 *
 * <p>A page can do two things. It can have its own name resolved to 127.0.0.1 and then read
 * whatever is here as its own: its requests carry that name as their host, so only names of this
 * machine are answered. And it can send requests across, and learn something from how they go even
 * where it cannot read what comes back: browsers say where those come from, and all of them are
 * refused, but for a link to the dashboard. Who is no browser says nothing of the kind.
 */
final class Doorkeeper {
  private final Tokens tokens;
  private final String bind;

  Doorkeeper(Tokens tokens, String bind) {
    this.tokens = tokens;
    this.bind = bind;
  }

  /** Lets only those through to {@code room} who may come in. */
  Handler<HttpServerRequest> before(Handler<HttpServerRequest> room) {
    return tokens.before(openly(room));
  }

  /** Lets those through who bring no token too, to what tells nothing, but no page of others. */
  Handler<HttpServerRequest> openly(Handler<HttpServerRequest> room) {
    return request -> {
      String objection = objection(request);
      if (objection == null) {
        room.handle(request);
      } else {
        Replies.send(request, Replies.error(403, "forbidden", objection));
      }
    };
  }

  private @Nullable String objection(HttpServerRequest request) {
    if (!tokens.areRequired() && !BrowserRequests.isForThisMachine(request, bind)) {
      return "without a token this port answers to localhost, 127.0.0.1, [::1] and the address"
          + " that it listens on, and to no other name";
    }
    if (BrowserRequests.isFromAnotherSite(request) && !isVisit(request)) {
      return "a page of another site must neither read nor change anything here";
    }
    return null;
  }

  /** Whether somebody follows a link to the dashboard, in a window of its own. */
  private static boolean isVisit(HttpServerRequest request) {
    return request.method().equals(HttpMethod.GET)
        && "/".equals(request.path())
        && "navigate".equals(request.getHeader("Sec-Fetch-Mode"))
        && "document".equals(request.getHeader("Sec-Fetch-Dest"));
  }
}
