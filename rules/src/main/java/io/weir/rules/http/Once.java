package io.weir.rules.http;

import io.weir.rules.match.MalformedRequestException;
import org.jspecify.annotations.Nullable;

/** The value of a field that must not come twice: servers differ in which of the two they take. */
final class Once {
  private final String kind;
  private final String name;
  private @Nullable String value;

  Once(String kind, String name) {
    this.kind = kind;
    this.name = name;
  }

  void found(String another) {
    if (value != null) {
      throw new MalformedRequestException(
          kind + " '" + name + "' is sent twice; rules use it, so it must be sent once");
    }
    value = another;
  }

  /** Null if it was not found. */
  @Nullable String value() {
    return value;
  }
}
