package io.weir.spring;

import io.weir.rules.Rule;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * What stands before one method: which rules a call is charged by, and where its attributes come
 * from.
 *
 * @param parameters the names of the method's parameters
 * @param rules the rules, by domain and name
 * @param attributes where attributes come from that no parameter has the name of
 * @param cost what the rules of files are charged; null: 1
 * @param fallbacks what is called instead, by the name of the rule that refuses
 */
record Guard(
    Method method,
    List<String> parameters,
    Set<Named> rules,
    Map<String, Attribute> attributes,
    @Nullable Expression cost,
    Map<String, Fallback> fallbacks) {
  /** The value of an attribute of which the call has none: all such calls are one caller's. */
  private static final String NOBODY = "(none)";

  /** A rule, by the names that it keeps when rules are read again. */
  record Named(String domain, String name) {
    boolean is(Rule rule) {
      return rule.name().equals(name) && rule.domain().equals(domain);
    }
  }

  /**
   * Where an attribute comes from.
   *
   * @param item of a list that the expression is; null: all of it
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

  /** Reads what the annotations say that rules need to know of a call. */
  Call call(@Nullable Object bean, @Nullable Object[] arguments) {
    Map<String, String> values = new HashMap<>();
    attributes.forEach((name, from) -> values.put(name, text(from.value(bean, arguments))));
    long charged = cost == null ? 1 : number(cost.value(bean, arguments));
    return new Call(this, arguments, values, charged);
  }

  static String text(@Nullable Object value) {
    String text = value == null ? "" : value.toString();
    return text.isEmpty() ? NOBODY : text;
  }

  private long number(@Nullable Object value) {
    if (value instanceof Number number && number.longValue() >= 0) {
      return number.longValue();
    }
    throw new IllegalArgumentException(
        "@RateLimited on " + this + ": cost '" + cost + "' is no number of 0 or more: " + value);
  }

  /** Class and method, as a person would say it. */
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
