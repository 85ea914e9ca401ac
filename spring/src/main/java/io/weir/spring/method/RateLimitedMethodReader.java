package io.weir.spring.method;

import io.weir.rules.AttributeSource;
import io.weir.rules.Cost;
import io.weir.rules.Domain;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.rules.match.Condition;
import io.weir.rules.match.ValueMatcher;
import io.weir.runtime.Node;
import io.weir.spring.MisconfiguredException;
import io.weir.spring.RateLimited;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/** Reads the annotations of one method; an invalid annotation stops the start. */
final class RateLimitedMethodReader {
  private final Node node;
  private final MethodRules methods;
  private final Policy policy;
  private final Method method;
  private final Class<?> type;
  private final String place;
  private final boolean isOfClass;
  private final List<String> parameters;
  private final Set<RateLimitedMethod.RuleName> rules = new LinkedHashSet<>();
  private final Map<String, RateLimitedMethod.Attribute> attributes = new HashMap<>();
  private final Map<String, FallbackMethod> fallbackMethods = new HashMap<>();
  private @Nullable Expression cost;

  /**
   * @param isOfClass whether the annotations are on the class
   */
  RateLimitedMethodReader(
      Node node,
      MethodRules methods,
      Policy policy,
      Method method,
      Class<?> type,
      boolean isOfClass) {
    this.node = node;
    this.methods = methods;
    this.policy = policy;
    this.method = method;
    this.type = type;
    this.isOfClass = isOfClass;
    this.place =
        isOfClass ? type.getName() : method.getDeclaringClass().getName() + "." + method.getName();
    this.parameters = Expression.parameters(method);
  }

  RateLimitedMethod read(Collection<RateLimited> annotations) {
    int number = 0;
    for (RateLimited each : annotations) {
      number++;
      try {
        read(each, number);
      } catch (IllegalArgumentException e) {
        throw new MisconfiguredException(
            "@RateLimited on " + place + ": " + e.getMessage(),
            "Correct the annotation; docs/reference/spring.md has examples of all forms.");
      }
    }
    return new RateLimitedMethod(
        method, parameters, Set.copyOf(rules), Map.copyOf(attributes), cost, fallbackMethods);
  }

  private void read(RateLimited annotation, int number) {
    boolean isNamed = !annotation.value().isEmpty();
    if (isNamed == !annotation.limit().isEmpty()) {
      throw new IllegalArgumentException(
          isNamed
              ? "has both the name of a rule and a limit; use only one of them"
              : "has neither the name of a rule nor a limit");
    }
    String name = isNamed ? named(annotation) : written(annotation, number);
    if (!annotation.fallback().isEmpty()) {
      fallbackMethods.put(name, FallbackMethod.of(annotation.fallback(), method, type));
    }
  }

  private String named(RateLimited annotation) {
    Rule rule = find(annotation.value());
    if (!annotation.per().isEmpty()) {
      Expression per = Expression.of(annotation.per(), method, type);
      if (rule.per().isEmpty()) {
        throw new IllegalArgumentException(
            "rule '%s' has no 'per', so 'per' of the annotation has no effect"
                .formatted(rule.name()));
      }
      for (int i = 0; i < rule.per().size(); i++) {
        Integer item = rule.per().size() == 1 ? null : Integer.valueOf(i);
        attributes.put(rule.per().get(i), new RateLimitedMethod.Attribute(per, item));
      }
    }
    if (!annotation.cost().isEmpty()) {
      cost = Expression.of(annotation.cost(), method, type);
    }
    requireKnown(rule);
    methods.name(rule);
    rules.add(new RateLimitedMethod.RuleName(rule.domain(), rule.name()));
    return rule.name();
  }

  private Rule find(String name) {
    return RuleLookup.find(
        name,
        node.rules().rules().stream()
            .filter(rule -> !rule.domain().equals(MethodRules.DOMAIN))
            .toList());
  }

  /** Rejects a rule with attributes that no call can have, since it would limit nothing. */
  private void requireKnown(Rule rule) {
    Map<String, AttributeSource> sources =
        node.rules().domains().stream()
            .filter(domain -> domain.name().equals(rule.domain()))
            .findFirst()
            .map(Domain::attributes)
            .orElse(Map.of());
    for (String per : rule.per()) {
      requireKnown(per, "is per", rule, sources);
    }
    for (Condition condition : rule.match().conditions()) {
      if (condition.anyOf().stream().noneMatch(ValueMatcher.Absent.class::isInstance)) {
        requireKnown(condition.attribute(), "is for requests by", rule, sources);
      }
    }
  }

  private void requireKnown(
      String attribute, String why, Rule rule, Map<String, AttributeSource> sources) {
    if (!isKnown(attribute, sources)) {
      throw new IllegalArgumentException(
          ("rule '%s' (%s) %s '%s', which a call of this method does not have; set 'per', or"
                  + " name a parameter '%s'")
              .formatted(rule.name(), rule.sourceLocation(), why, attribute, attribute));
    }
  }

  private boolean isKnown(String attribute, Map<String, AttributeSource> sources) {
    AttributeSource source = sources.get(attribute);
    return attributes.containsKey(attribute)
        || parameters.contains(attribute)
        || (source != null
            && source.attributes().stream().anyMatch(each -> isKnown(each, sources)));
  }

  private String written(RateLimited annotation, int number) {
    String name = annotation.name().isEmpty() ? usualName(number) : annotation.name();
    if (!name.matches("[A-Za-z0-9._:-]{1,100}")) {
      throw new IllegalArgumentException(
          "bad name '" + name + "'; a name is 1 to 100 of A-Z a-z 0-9 . _ : -");
    }
    Rule.Builder rule =
        Rule.named(name)
            .domain(MethodRules.DOMAIN)
            .limits(LimitParser.parse(annotation.limit()))
            .policy(policy)
            .place(new io.weir.rules.SourceLocation("@RateLimited on " + place, number, 1));
    if (!annotation.per().isEmpty()) {
      String key = "key of " + name; // separate, since another rule may have another key
      attributes.put(
          key,
          new RateLimitedMethod.Attribute(Expression.of(annotation.per(), method, type), null));
      rule.per(key);
    }
    if (!annotation.cost().isEmpty()) {
      String charged = "cost of " + name;
      attributes.put(
          charged,
          new RateLimitedMethod.Attribute(Expression.of(annotation.cost(), method, type), null));
      rule.cost(new Cost.OfAttribute(charged));
    }
    methods.add(rule.build(), owner(), !annotation.name().isEmpty());
    rules.add(new RateLimitedMethod.RuleName(MethodRules.DOMAIN, name));
    return name;
  }

  /** A unique name for the element that carries the annotation. */
  private String owner() {
    return isOfClass
        ? type.getName()
        : Stream.of(method.getParameterTypes())
            .map(Class::getTypeName)
            .collect(Collectors.joining(", ", type.getName() + "." + method.getName() + "(", ")"));
  }

  /** The same name in all instances, so that they share buckets; overloads get different names. */
  private String usualName(int number) {
    StringBuilder name = new StringBuilder(type.getSimpleName());
    if (!isOfClass) {
      name.append('.').append(method.getName());
      long same =
          Stream.of(ReflectionUtils.getUniqueDeclaredMethods(type))
              .filter(each -> each.getName().equals(method.getName()) && !each.isSynthetic())
              .count();
      if (same > 1) {
        for (Class<?> parameter : method.getParameterTypes()) {
          name.append(':').append(parameter.getSimpleName());
        }
      }
    }
    if (number > 1) {
      name.append(':').append(number);
    }
    String usual = name.toString().replaceAll("[^A-Za-z0-9._:-]", "_");
    return usual.substring(Math.max(0, usual.length() - 100));
  }
}
