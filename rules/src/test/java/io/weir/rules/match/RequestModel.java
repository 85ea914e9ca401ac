package io.weir.rules.match;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request in a test: its attributes, and which of them were read. */
final class RequestModel implements AttributeValues {
  /** The attributes of tests, by their places. */
  static final List<String> ATTRIBUTES = List.of("ip", "path", "tier", "user", "method", "region");

  private final Map<String, String> values;
  private final List<String> read = new ArrayList<>();

  RequestModel(Map<String, String> values) {
    this.values = values;
  }

  static int place(String attribute) {
    int place = ATTRIBUTES.indexOf(attribute);
    if (place < 0) {
      throw new IllegalArgumentException(attribute);
    }
    return place;
  }

  Map<String, String> values() {
    return values;
  }

  List<String> read() {
    return read;
  }

  @Override
  public @Nullable String value(int place) {
    read.add(ATTRIBUTES.get(place));
    return values.get(ATTRIBUTES.get(place));
  }

  @Override
  public @Nullable Address address() {
    String ip = values.get("ip");
    return ip == null ? null : Address.parse(ip);
  }

  @Override
  public String toString() {
    return values.toString();
  }
}
