package io.weir.server.gateway.http1;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.vertx.core.http.impl.headers.HeadersMultiMap;

/** Encodes requests; Vert.x's headers encode themselves, which is faster. */
final class RequestWriter extends HttpRequestEncoder {
  @Override
  protected void encodeHeaders(HttpHeaders headers, ByteBuf into) {
    if (headers instanceof HeadersMultiMap ours) {
      ours.encode(into, false);
    } else {
      super.encodeHeaders(headers, into);
    }
  }
}
