package io.weir.server.codec;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.vertx.core.http.impl.headers.HeadersMultiMap;

/** Makes the headers of Vert.x, which refuse names and values that cannot be passed on. */
public final class CheckedHeaders implements HttpHeadersFactory {
  @Override
  public HttpHeaders newHeaders() {
    return HeadersMultiMap.httpHeaders();
  }

  @Override
  public HttpHeaders newEmptyHeaders() {
    return HeadersMultiMap.httpHeaders();
  }
}
