package io.weir.server.codec;

import io.vertx.core.MultiMap;
import io.vertx.core.http.impl.headers.HeadersMultiMap;
import java.util.Iterator;
import java.util.Map;

/** Iterates over headers as stored; Vert.x's own iterator converts each to a string. */
public final class HeaderIteration {
  private HeaderIteration() {}

  public static Iterator<? extends Map.Entry<? extends CharSequence, ? extends CharSequence>> of(
      MultiMap headers) {
    return headers instanceof HeadersMultiMap kept
        ? kept.iteratorCharSequence()
        : headers.iterator();
  }
}
