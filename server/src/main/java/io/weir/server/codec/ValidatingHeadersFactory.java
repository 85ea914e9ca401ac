package io.weir.server.codec;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.vertx.core.http.impl.headers.HeadersMultiMap;

/** Creates Vert.x's headers, which reject invalid names and values. */
public final class ValidatingHeadersFactory implements HttpHeadersFactory {
  @Override
  public HttpHeaders newHeaders() {
    return HeadersMultiMap.httpHeaders();
  }

  @Override
  public HttpHeaders newEmptyHeaders() {
    return HeadersMultiMap.httpHeaders();
  }
}
