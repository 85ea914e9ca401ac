package io.weir.spring.method;

import io.weir.rules.Request;
import io.weir.rules.Rule;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A method call as rules see it.
 *
 * @param attributes those from annotations; others are the arguments of the same names, which are
 *     read only if a rule needs them
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record MethodCallRequest(
    RateLimitedMethod rateLimitedMethod,
    @Nullable Object[] arguments,
    Map<String, String> attributes,
    long cost)
    implements Request {
  @Override
  public @Nullable String attribute(String name) {
    String given = attributes.get(name);
    if (given != null) {
      return given;
    }
    int parameter = rateLimitedMethod.parameters().indexOf(name);
    return parameter < 0 ? null : RateLimitedMethod.text(arguments[parameter]);
  }

  @Override
  public boolean concerns(Rule rule) {
    for (RateLimitedMethod.RuleName each : rateLimitedMethod.rules()) {
      if (each.is(rule)) {
        return true;
      }
    }
    return false;
  }
}
