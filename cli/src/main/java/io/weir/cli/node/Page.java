package io.weir.cli.node;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.schema.JsonSchema;

/** A value of JSON: what is not there is empty, zero or none. */
public record Page(@Nullable Object value) {
  private static final int LONGEST = 16 * 1024 * 1024;

  /** Reads JSON, which is YAML of a kind. */
  public static Page of(String json) {
    try {
      LoadSettings settings =
          LoadSettings.builder().setSchema(new JsonSchema()).setCodePointLimit(LONGEST).build();
      return new Page(new Load(settings).loadFromString(json));
    } catch (YamlEngineException e) {
      throw new Node.UnansweredException("the answer is no JSON: that is no admin port of Weir");
    }
  }

  /** What is at {@code totals.denied} and so on. */
  public Page at(String path) {
    Object found = value;
    for (String name : path.split("\\.")) {
      found = found instanceof Map<?, ?> map ? map.get(name) : null;
    }
    return new Page(found);
  }

  /** Of a list. */
  public List<Page> items() {
    return value instanceof List<?> list ? list.stream().map(Page::new).toList() : List.of();
  }

  /** Fit for a terminal. */
  public String text() {
    return value == null ? "" : Plain.text(value.toString());
  }

  /** As it is, to be sent back. */
  public String raw() {
    return value == null ? "" : value.toString();
  }

  /** A whole number. */
  public long number() {
    return value instanceof Number number ? number.longValue() : 0;
  }

  /** A number. */
  public double decimal() {
    return value instanceof Number number ? number.doubleValue() : 0;
  }

  /** Whether it is there, and true. */
  public boolean isTrue() {
    return Boolean.TRUE.equals(value);
  }

  /** Whether it is not there, or null. */
  public boolean isNothing() {
    return value == null;
  }

  /** Whole numbers; -1 for what is not known. */
  public long[] numbers() {
    return items().stream().mapToLong(each -> each.isNothing() ? -1 : each.number()).toArray();
  }
}
