package io.weir.spring.diagnostics;

import io.weir.rules.AttributeSource;
import io.weir.rules.Domain;
import io.weir.rules.Policy;
import io.weir.rules.Rule;
import io.weir.runtime.Node;
import io.weir.runtime.StoreUrl;
import io.weir.spring.MisconfiguredException;
import io.weir.spring.WeirProperties;
import io.weir.spring.method.MethodRules;
import io.weir.spring.method.RateLimitedBeans;
import io.weir.spring.web.Phases;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Logs at the start which requests are limited, where and how, so that Weir's state is visible. A
 * configuration that could not work stops the start.
 */
public final class StartupReport implements SmartInitializingSingleton {
  private static final System.Logger LOG = System.getLogger("io.weir.spring");
  private static final Set<String> USUAL = Set.of("ip", "method", "path", "host");

  private final Node node;
  private final Phases phases;
  private final MethodRules methods;
  private final WeirProperties properties;
  private final ObjectProvider<RateLimitedBeans> guarded;
  private final EnvironmentChecks environmentChecks;

  public StartupReport(
      Node node,
      Phases phases,
      MethodRules methods,
      WeirProperties properties,
      ObjectProvider<RateLimitedBeans> guarded,
      EnvironmentChecks environmentChecks) {
    this.node = node;
    this.phases = phases;
    this.methods = methods;
    this.properties = properties;
    this.guarded = guarded;
    this.environmentChecks = environmentChecks;
  }

  @Override
  public void afterSingletonsInstantiated() {
    guarded.ifAvailable(RateLimitedBeans::require);
    List<Rule> rules = node.rules().rules();
    if (rules.isEmpty() && properties.limiters().isEmpty()) {
      throw new MisconfiguredException(
          "Weir has no rules and would limit nothing: neither 'weir.rules-location' nor"
              + " 'weir.rules' is set, and no bean has @RateLimited with a limit.",
          "Set 'weir.rules-location=classpath:rules.yaml' and write that file, or write the rules"
              + " as a text below 'weir.rules: |', or add @RateLimited(limit = \"5 per minute\") to"
              + " a method of a bean. To start without limits, set 'weir.enabled=false'.");
    }
    requireFreePrincipal();
    if (environmentChecks.hasFilters()) {
      environmentChecks.requireUsers(rules.stream().filter(phases::isLate).toList());
      environmentChecks.requireTrust(
          rules.stream().filter(rule -> !methods.has(rule) && phases.uses(rule, "ip")).toList());
    }
    LOG.log(System.Logger.Level.INFO, () -> "Weir is active: " + words(rules));
    if (!environmentChecks.hasFilters()) {
      warnOfUncheckedRules(rules.stream().filter(rule -> !methods.has(rule)).toList());
    }
    node.rules().domains().forEach(this::warnOfUnknown);
  }

  private static void warnOfUncheckedRules(List<Rule> rules) {
    if (!rules.isEmpty()) {
      LOG.log(
          System.Logger.Level.WARNING,
          () ->
              "there is no filter, so %s limit nothing unless RateLimiters.check is called for them"
                  .formatted(part("rules", rules)));
    }
  }

  /** With one name for both, a header could stand in for a user, or the other way round. */
  private void requireFreePrincipal() {
    String principal = properties.principalAttribute();
    for (Domain domain : node.rules().domains()) {
      if (domain.attributes().containsKey(principal)) {
        throw new MisconfiguredException(
            "The attribute '%s' is declared by the rules (%s), but 'weir.principal-attribute' makes it the logged-in user."
                .formatted(principal, domain.sourceLocations().get(principal)),
            "Remove it from 'attributes' of the rules, or give 'weir.principal-attribute' another"
                + " name.");
      }
    }
  }

  private String words(List<Rule> rules) {
    List<String> parts = new ArrayList<>();
    if (environmentChecks.hasFilters()) {
      parts.add(part("before authentication", rules.stream().filter(phases::isEarly).toList()));
      parts.add(part("behind authentication", rules.stream().filter(phases::isLate).toList()));
    }
    parts.add(part("on methods", rules.stream().filter(methods::has).toList()));
    parts.add(
        properties.limiters().isEmpty()
            ? ""
            : "limiters: " + String.join(", ", new TreeSet<>(properties.limiters().keySet())));
    parts.removeIf(String::isEmpty);
    return "%d %s%s; store %s; %s"
        .formatted(
            rules.size(),
            rules.size() == 1 ? "rule" : "rules",
            parts.isEmpty() ? "" : " (" + String.join("; ", parts) + ")",
            StoreUrl.shown(properties.store()),
            environmentChecks.filters());
  }

  private static String part(String when, List<Rule> rules) {
    return rules.isEmpty()
        ? ""
        : when + ": " + rules.stream().map(StartupReport::name).collect(Collectors.joining(", "));
  }

  private static String name(Rule rule) {
    return rule.policy().mode() == Policy.Mode.ENFORCE
        ? rule.name()
        : rule.name() + " (" + rule.policy().mode() + ")";
  }

  /** Warns of a rule with a {@code per} that no request has, since it limits nothing. */
  private void warnOfUnknown(Domain domain) {
    for (Rule rule : domain.rules()) {
      for (String per : rule.per()) {
        if (!methods.has(rule) && !isKnown(per, rule, domain.attributes())) {
          LOG.log(
              System.Logger.Level.WARNING,
              () ->
                  ("rule '%s' (%s) is per '%s', which no request has, so it limits nothing:"
                          + " declare '%s' under 'attributes', or name the rule in @RateLimited on"
                          + " a method with such a parameter")
                      .formatted(rule.name(), rule.sourceLocation(), per, per));
        }
      }
    }
  }

  private boolean isKnown(String attribute, Rule rule, Map<String, AttributeSource> sources) {
    return USUAL.contains(attribute)
        || attribute.equals(phases.principal())
        || sources.containsKey(attribute)
        || rule.segments().contains(attribute);
  }
}
