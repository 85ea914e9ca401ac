package io.weir.rules.http;

/** A response header. */
public record Header(String name, String value) {
  /** As it is sent: {@code Retry-After: 3}. */
  @Override
  public String toString() {
    return name + ": " + value;
  }
}
