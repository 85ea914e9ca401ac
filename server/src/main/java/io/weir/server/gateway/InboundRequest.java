package io.weir.server.gateway;

import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.match.Address;
import org.jspecify.annotations.Nullable;

/** An inbound request and its parsed head. */
record InboundRequest(HttpServerRequest request, InboundHead inboundHead) {
  /** Whether it is {@code OPTIONS *}, which concerns the server as a whole. */
  static boolean isOfNoPath(HttpServerRequest request) {
    return request.method().equals(HttpMethod.OPTIONS) && "*".equals(request.uri());
  }

  /** Path and query, as forwarded. */
  String target() {
    return inboundHead.target();
  }

  /** Whether the target is printable ASCII; other characters make the upstream client throw. */
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
    return inboundHead.host();
  }

  /** The address of the connection's peer; null if it has none. */
  @Nullable Address peer() {
    return inboundHead.peer();
  }

  /** The client's address, as reported by a trusted proxy; null if it has none. */
  @Nullable Address client() {
    return inboundHead.client();
  }

  /** Whether the peer is a trusted proxy. */
  boolean isFromProxy() {
    return inboundHead.isFromProxy();
  }
}
