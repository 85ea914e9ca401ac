package io.weir.rules.cases;

import io.weir.rules.AttributeSource;
import io.weir.rules.Request;
import io.weir.rules.http.HttpRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request of a test: attributes by name, and an HTTP request.
 *
 * @param attributes they take precedence over the HTTP request
 */
public record CaseRequest(Map<String, String> attributes, HttpRequest http, long cost)
    implements Request {
  /** Copies the map. */
  public CaseRequest {
    attributes = Map.copyOf(attributes);
  }

  @Override
  public @Nullable String attribute(String name) {
    String given = attributes.get(name);
    return given == null ? http.attribute(name) : given;
  }

  @Override
  public @Nullable String attribute(String name, AttributeSource.Field field) {
    String given = attributes.get(name);
    return given == null ? http.attribute(name, field) : given;
  }
}
