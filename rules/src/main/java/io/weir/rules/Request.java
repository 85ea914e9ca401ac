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

  /**
   * Whether it is asked about {@code rule}, which is left out of all that is decided and told if
   * not. A front that judges a request in several steps asks about some of the rules in each.
   */
  default boolean concerns(Rule rule) {
    return true;
  }

  /** How many permits the request asks for; rules may say otherwise. */
  default long cost() {
    return 1;
  }
}
