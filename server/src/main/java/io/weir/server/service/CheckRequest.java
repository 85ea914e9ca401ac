package io.weir.server.service;

import io.weir.rules.Request;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request as a caller describes it: it has only the given attributes. */
record CheckRequest(Map<String, String> attributes, @Override long cost) implements Request {
  @Override
  public @Nullable String attribute(String name) {
    return attributes.get(name);
  }
}
