package io.weir.rules;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests for tests: attributes by their names, and fields of HTTP requests by theirs. */
public record Requests(Map<String, String> attributes, Map<String, String> fields, long cost)
    implements Request {
  /** {@code "user", "42", "path", "/a"} and so on. */
  public static Requests of(String... namesAndValues) {
    return new Requests(map(namesAndValues), Map.of(), 1);
  }

  /** The same request with fields: {@code "X-API-Key", "k"} and so on. */
  Requests fields(String... namesAndValues) {
    return new Requests(attributes, map(namesAndValues), cost);
  }

  public Requests costing(long permits) {
    return new Requests(attributes, fields, permits);
  }

  private static Map<String, String> map(String... namesAndValues) {
    Map<String, String> map = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      map.put(namesAndValues[i], namesAndValues[i + 1]);
    }
    return map;
  }

  @Override
  public @Nullable String attribute(String name) {
    return attributes.get(name);
  }

  @Override
  public @Nullable String attribute(String name, AttributeSource.Field field) {
    return fields.isEmpty() ? attributes.get(name) : fields.get(field.name());
  }
}
