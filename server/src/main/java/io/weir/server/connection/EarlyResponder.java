package io.weir.server.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpRequest;
import org.jspecify.annotations.Nullable;

/**
 * Responds to requests before they are dispatched. Dispatching is most of what a request costs, so
 * an early response saves it.
 */
public interface EarlyResponder {
  /**
   * Responds to a request, or lets it be dispatched. The request is over HTTP/1.1, has no body and
   * keeps its connection open; no earlier request awaits its response. It is never the first of its
   * connection. Called on the event loop of the connection; must not block.
   *
   * @return the whole encoded response; null to dispatch the request
   */
  @Nullable ByteBuf respond(Channel connection, HttpRequest request);
}
