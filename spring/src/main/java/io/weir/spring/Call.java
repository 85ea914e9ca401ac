package io.weir.spring;

import io.weir.rules.Request;
import io.weir.rules.Rule;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A call of a method, as rules see it.
 *
 * @param attributes those that annotations give; others are the arguments of their names, which are
 *     looked at only if a rule asks for them
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares calls
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
