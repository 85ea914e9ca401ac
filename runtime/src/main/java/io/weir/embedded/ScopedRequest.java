package io.weir.embedded;

import io.weir.rules.AttributeSource;
import io.weir.rules.Request;
import io.weir.rules.Rule;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A request that is checked by some of the rules.
 *
 * @param scope which rules
 */
record ScopedRequest(Request request, Predicate<Rule> scope) implements Request {
  @Override
  public boolean concerns(Rule rule) {
    return scope.test(rule);
  }

  @Override
  public @Nullable String attribute(String name) {
    return request.attribute(name);
  }

  @Override
  public @Nullable String attribute(String name, AttributeSource.Field field) {
    return request.attribute(name, field);
  }

  @Override
  public long cost() {
    return request.cost();
  }
}
