package io.weir.spring.method;

import io.weir.rules.Rule;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * The limits of one method: the rules that a call is charged by, and the sources of its attributes.
 *
 * @param parameters the names of the method's parameters
 * @param rules the rules, by domain and name
 * @param attributes the sources of attributes that have no parameter of the same name
 * @param cost what rules of the rules file charge; null means 1
 * @param fallbackMethods the method to call instead, by the name of the refusing rule
 */
record RateLimitedMethod(
    Method method,
    List<String> parameters,
    Set<RuleName> rules,
    Map<String, Attribute> attributes,
    @Nullable Expression cost,
    Map<String, FallbackMethod> fallbackMethods) {
  /** The value of an absent attribute: all calls without it share one bucket. */
  private static final String ABSENT = "(none)";

  /** A rule by the names that stay the same when rules are reloaded. */
  record RuleName(String domain, String name) {
    boolean is(Rule rule) {
      return rule.name().equals(name) && rule.domain().equals(domain);
    }
  }

  /**
   * The source of an attribute.
   *
   * @param item index in the list that the expression returns; null for the whole value
   */
  record Attribute(Expression expression, @Nullable Integer item) {
    @Nullable Object value(@Nullable Object bean, @Nullable Object[] arguments) {
      Object value = expression.value(bean, arguments);
      if (item == null) {
        return value;
      }
      return value instanceof List<?> list && item < list.size() ? list.get(item) : null;
    }
  }

  /** Evaluates the attributes of a call that rules need. */
  MethodCallRequest call(@Nullable Object bean, @Nullable Object[] arguments) {
    Map<String, String> values = new HashMap<>();
    attributes.forEach((name, from) -> values.put(name, text(from.value(bean, arguments))));
    long charged = cost == null ? 1 : number(cost.value(bean, arguments));
    return new MethodCallRequest(this, arguments, values, charged);
  }

  static String text(@Nullable Object value) {
    String text = value == null ? "" : value.toString();
    return text.isEmpty() ? ABSENT : text;
  }

  private long number(@Nullable Object value) {
    if (value instanceof Number number && number.longValue() >= 0) {
      return number.longValue();
    }
    throw new IllegalArgumentException(
        "@RateLimited on " + this + ": cost '" + cost + "' is not a number of 0 or more: " + value);
  }

  /** Class and method in short form. */
  static String name(Method method) {
    return ClassUtils.getUserClass(method.getDeclaringClass()).getSimpleName()
        + "."
        + method.getName();
  }

  @Override
  public String toString() {
    return name(method);
  }
}
