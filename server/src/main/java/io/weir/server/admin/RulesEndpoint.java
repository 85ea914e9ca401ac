package io.weir.server.admin;

import io.weir.Limit;
import io.weir.decision.CredentialMasking;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleOverride;
import io.weir.rules.RuleSet;
import io.weir.rules.SourceLocation;
import io.weir.rules.http.JsonWriter;
import java.util.List;

/** {@code /v1/rules}: the rules in force, as JSON. */
final class RulesEndpoint {
  private RulesEndpoint() {}

  static String page(RuleSet rules) {
    JsonWriter page = new JsonWriter().open().open("domains", '[');
    for (Domain domain : rules.domains()) {
      CredentialMasking credentialMasking = CredentialMasking.over(domain);
      page.begin('{').text("name", domain.name());
      page.open("rules", '[');
      domain.rules().forEach(rule -> add(page, rule, credentialMasking));
      page.end(']').open("descriptors", '[');
      domain.descriptors().limits().forEach(limit -> add(page, limit.rule(), credentialMasking));
      page.end(']').close();
    }
    return page.end(']').close().toString();
  }

  private static void add(JsonWriter page, Rule rule, CredentialMasking credentialMasking) {
    page.begin('{').text("name", rule.name());
    page.text(
        "match",
        rule.match().conditions().isEmpty() ? null : credentialMasking.of(rule.match()).toString());
    page.open("per", '[');
    rule.per().forEach(page::text);
    page.end(']');
    addLimits(page, rule.limits());
    page.open("overrides", '[');
    List<String> names = credentialMasking.names(rule);
    for (int i = 0; i < names.size(); i++) {
      RuleOverride ruleOverride = rule.ruleOverrides().get(i);
      page.begin('{')
          .text("name", names.get(i))
          .text("match", credentialMasking.of(ruleOverride.match()).toString());
      addLimits(page, ruleOverride.limits());
      page.close();
    }
    page.end(']');
    page.text("mode", rule.policy().mode().toString());
    page.text(
        "on_failure", rule.policy().onFailure().toString().toLowerCase(java.util.Locale.ROOT));
    page.text("consistency", rule.policy().consistency().toString());
    page.text("place", place(rule.sourceLocation()));
    page.close();
  }

  private static void addLimits(JsonWriter page, List<Limit> limits) {
    page.open("limits", '[');
    for (Limit limit : limits) {
      page.begin('{').text("limit", limit.toString()).text("algorithm", limit.algorithm());
      page.number("capacity", limit.capacity()).close();
    }
    page.end(']');
  }

  private static String place(SourceLocation sourceLocation) {
    return sourceLocation.file() + ":" + sourceLocation.line();
  }
}
