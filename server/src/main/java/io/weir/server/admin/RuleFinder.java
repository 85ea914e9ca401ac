package io.weir.server.admin;

import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.Arbiter;
import io.weir.server.RuleTally;
import io.weir.text.DidYouMean;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the rule that somebody means. */
final class RuleFinder {
  /** Parameters that are no attributes. */
  static final Set<String> RESERVED = Set.of("rule", "domain", "permits", "id", "reveal");

  private static final int MOST_GUESSES = 1000; // comparing takes its time

  private final RuleSet rules;

  RuleFinder(RuleSet rules) {
    this.rules = rules;
  }

  /**
   * The rule.
   *
   * @param domain null: there is only one domain with such a rule
   * @throws MalformedRequestException if there is none, or more than one
   */
  Rule find(@Nullable String name, @Nullable String domain) {
    if (name == null || name.isEmpty()) {
      throw new MalformedRequestException("'rule' is missing: the name of a rule");
    }
    if (domain != null && rules.domains().stream().noneMatch(d -> d.name().equals(domain))) {
      List<String> known = rules.domains().stream().map(Domain::name).toList();
      throw new MalformedRequestException(
          "there is no domain '" + domain + "'" + guess(domain, known));
    }
    List<Rule> all = all(domain);
    List<Rule> found = all.stream().filter(rule -> rule.name().equals(name)).toList();
    if (found.isEmpty()) {
      List<String> known = all.stream().map(Rule::name).distinct().toList();
      throw new MalformedRequestException("there is no rule '" + name + "'" + guess(name, known));
    }
    if (found.size() > 1) {
      String domains =
          found.stream().map(Rule::domain).distinct().collect(Collectors.joining(", "));
      throw new MalformedRequestException(
          "there are several rules '" + name + "'; say which by 'domain', one of: " + domains);
    }
    return found.get(0);
  }

  /**
   * The rule that is called {@code label} where decisions are counted.
   *
   * @throws MalformedRequestException if there is none
   */
  static Rule labelled(@Nullable String label, Arbiter arbiter) {
    if (label == null || label.isEmpty()) {
      throw new MalformedRequestException("'rule' is missing: the name of a rule");
    }
    Rule found = arbiter.tally().labelled(label, arbiter::rules);
    if (found == null) {
      List<String> known =
          arbiter.tally().rules(arbiter::rules).stream().map(RuleTally::label).toList();
      throw new MalformedRequestException("there is no rule '" + label + "'" + guess(label, known));
    }
    return found;
  }

  private List<Rule> all(@Nullable String domain) {
    List<Rule> all = new ArrayList<>();
    for (Domain each : rules.domains()) {
      if (domain == null || each.name().equals(domain)) {
        all.addAll(each.allRules());
      }
    }
    return all;
  }

  private static String guess(String word, List<String> known) {
    return DidYouMean.of(word, known.subList(0, Math.min(known.size(), MOST_GUESSES)));
  }
}
