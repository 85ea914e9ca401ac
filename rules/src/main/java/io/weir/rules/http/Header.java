package io.weir.rules.http;

/** A line of a response's head. */
public record Header(String name, String value) {
  /** As it is sent: {@code Retry-After: 3}. */
  @Override
  public String toString() {
    return name + ": " + value;
  }
}
