package io.weir.rules;

import org.jspecify.annotations.Nullable;

/**
 * A request, as a front end presents it. Values are as received: the rules normalise {@code path},
 * {@code method}, {@code host} and {@code ip}. An empty value is an absent one.
 *
 * <p>A front end may throw {@link io.weir.rules.match.MalformedRequestException} for an ambiguous
 * value, such as a header that was sent twice.
 */
public interface Request {
  /** The value of the attribute called {@code name}; null if the request lacks it. */
  @Nullable String attribute(String name);

  /**
   * The value of an attribute with a field of an HTTP request as its source. A caller that names
   * its attributes itself, such as a trace, has it under its name.
   */
  default @Nullable String attribute(String name, AttributeSource.Field field) {
    return attribute(name);
  }

  /**
   * Whether {@code rule} is considered; if not, it takes no part in the decision and its report. A
   * front end that checks a request in several steps considers some of the rules in each.
   */
  default boolean concerns(Rule rule) {
    return true;
  }

  /** How many permits the request costs; a rule may override this. */
  default long cost() {
    return 1;
  }
}
