package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.impl.headers.HeadersMultiMap;
import java.util.Iterator;
import java.util.Map;

/** Iterates over headers as stored; Vert.x's own iterator converts each to a string. */
final class Fields {
  private Fields() {}

  static Iterator<? extends Map.Entry<? extends CharSequence, ? extends CharSequence>> of(
      MultiMap headers) {
    return headers instanceof HeadersMultiMap kept
        ? kept.iteratorCharSequence()
        : headers.iterator();
  }
}
