package io.weir.server.admin;

import io.weir.Limit;
import io.weir.arbiter.Veil;
import io.weir.rules.Domain;
import io.weir.rules.Place;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.Variant;
import io.weir.rules.http.Json;
import java.util.List;

/** {@code /v1/rules}: the rules in force, as JSON. */
final class RulePages {
  private RulePages() {}

  static String page(RuleSet rules) {
    Json page = new Json().open().open("domains", '[');
    for (Domain domain : rules.domains()) {
      Veil veil = Veil.over(domain);
      page.begin('{').text("name", domain.name());
      page.open("rules", '[');
      domain.rules().forEach(rule -> add(page, rule, veil));
      page.end(']').open("descriptors", '[');
      domain.descriptors().limits().forEach(limit -> add(page, limit.rule(), veil));
      page.end(']').close();
    }
    return page.end(']').close().toString();
  }

  private static void add(Json page, Rule rule, Veil veil) {
    page.begin('{').text("name", rule.name());
    page.text(
        "match", rule.match().conditions().isEmpty() ? null : veil.of(rule.match()).toString());
    page.open("per", '[');
    rule.per().forEach(page::text);
    page.end(']');
    addLimits(page, rule.limits());
    page.open("overrides", '[');
    List<String> names = veil.names(rule);
    for (int i = 0; i < names.size(); i++) {
      Variant variant = rule.variants().get(i);
      page.begin('{').text("name", names.get(i)).text("match", veil.of(variant.match()).toString());
      addLimits(page, variant.limits());
      page.close();
    }
    page.end(']');
    page.text("mode", rule.policy().mode().toString());
    page.text(
        "on_failure", rule.policy().onFailure().toString().toLowerCase(java.util.Locale.ROOT));
    page.text("consistency", rule.policy().consistency().toString());
    page.text("place", place(rule.place()));
    page.close();
  }

  private static void addLimits(Json page, List<Limit> limits) {
    page.open("limits", '[');
    for (Limit limit : limits) {
      page.begin('{').text("limit", limit.toString()).text("algorithm", limit.algorithm());
      page.number("capacity", limit.capacity()).close();
    }
    page.end(']');
  }

  private static String place(Place place) {
    return place.file() + ":" + place.line();
  }
}
