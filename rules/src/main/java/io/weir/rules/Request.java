package io.weir.rules;

import org.jspecify.annotations.Nullable;

/**
 * What a front knows of one request. Values are as they were received: the rules bring {@code
 * path}, {@code method}, {@code host} and {@code ip} into one form. An empty value is an absent
 * one.
 *
 * <p>A front may throw {@link io.weir.rules.match.MalformedRequestException} where a value is
 * ambiguous, such as a header that was sent twice.
 */
public interface Request {
  /** The value of the attribute called {@code name}; null if the request lacks it. */
  @Nullable String attribute(String name);

  /**
   * The value of an attribute that the rules find in a field of an HTTP request. A caller that
   * names its attributes itself, such as a trace, has it under its name.
   */
  default @Nullable String attribute(String name, AttributeSource.Field field) {
    return attribute(name);
  }

  /** How many permits the request asks for; rules may say otherwise. */
  default long cost() {
    return 1;
  }
}
