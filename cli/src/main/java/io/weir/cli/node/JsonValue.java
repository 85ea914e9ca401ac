package io.weir.cli.node;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.schema.JsonSchema;

/** A JSON value. A missing value reads as empty, zero or none. */
public record JsonValue(@Nullable Object value) {
  private static final int LONGEST = 16 * 1024 * 1024;

  /** Parses JSON, which is a subset of YAML. */
  public static JsonValue of(String json) {
    try {
      LoadSettings settings =
          LoadSettings.builder().setSchema(new JsonSchema()).setCodePointLimit(LONGEST).build();
      return new JsonValue(new Load(settings).loadFromString(json));
    } catch (YamlEngineException e) {
      throw new AdminClient.NodeUnavailableException(
          "the response is not JSON, so this is not a Weir admin port");
    }
  }

  /** The value at a path such as {@code totals.denied}. */
  public JsonValue at(String path) {
    Object found = value;
    for (String name : path.split("\\.")) {
      found = found instanceof Map<?, ?> map ? map.get(name) : null;
    }
    return new JsonValue(found);
  }

  /** The elements of a list. */
  public List<JsonValue> items() {
    return value instanceof List<?> list ? list.stream().map(JsonValue::new).toList() : List.of();
  }

  /** The text, safe for a terminal. */
  public String text() {
    return value == null ? "" : TerminalSanitizer.text(value.toString());
  }

  /** The text unchanged, to be sent back. */
  public String raw() {
    return value == null ? "" : value.toString();
  }

  /** An integer. */
  public long number() {
    return value instanceof Number number ? number.longValue() : 0;
  }

  /** A number. */
  public double decimal() {
    return value instanceof Number number ? number.doubleValue() : 0;
  }

  /** Whether it is present and true. */
  public boolean isTrue() {
    return Boolean.TRUE.equals(value);
  }

  /** Whether it is missing or null. */
  public boolean isNothing() {
    return value == null;
  }

  /** Integers; -1 for an unknown value. */
  public long[] numbers() {
    return items().stream().mapToLong(each -> each.isNothing() ? -1 : each.number()).toArray();
  }
}
