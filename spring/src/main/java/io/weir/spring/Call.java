package io.weir.spring;

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
record Call(Guard guard, @Nullable Object[] arguments, Map<String, String> attributes, long cost)
    implements Request {
  @Override
  public @Nullable String attribute(String name) {
    String given = attributes.get(name);
    if (given != null) {
      return given;
    }
    int parameter = guard.parameters().indexOf(name);
    return parameter < 0 ? null : Guard.text(arguments[parameter]);
  }

  @Override
  public boolean concerns(Rule rule) {
    for (Guard.Named each : guard.rules()) {
      if (each.is(rule)) {
        return true;
      }
    }
    return false;
  }
}
