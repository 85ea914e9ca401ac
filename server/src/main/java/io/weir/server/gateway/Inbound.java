package io.weir.server.gateway;

import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.match.Address;
import org.jspecify.annotations.Nullable;

/** A request that has come in, and what was read of it. */
record Inbound(HttpServerRequest request, Head head) {
  /** Whether it asks about the server as such, and not about anything on it. */
  static boolean isOfNoPath(HttpServerRequest request) {
    return request.method().equals(HttpMethod.OPTIONS) && "*".equals(request.uri());
  }

  /** Path and query, as they are passed on. */
  String target() {
    return head.target();
  }

  /** Whether the target is of plain characters; any other makes the client for servers throw. */
  boolean hasPlainTarget() {
    String target = target();
    for (int i = 0; i < target.length(); i++) {
      char c = target.charAt(i);
      if (c <= ' ' || c >= 0x7f) {
        return false;
      }
    }
    return true;
  }

  @Nullable String host() {
    return head.host();
  }

  /** The other end of the connection; null if it has no address. */
  @Nullable Address peer() {
    return head.peer();
  }

  /** The address of the client, by the word of a trusted peer; null if it has none. */
  @Nullable Address client() {
    return head.client();
  }

  /** Whether the peer is one whose word is taken. */
  boolean isFromProxy() {
    return head.isFromProxy();
  }
}
