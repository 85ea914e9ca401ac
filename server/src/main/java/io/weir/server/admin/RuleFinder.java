package io.weir.server.admin;

import io.weir.decision.DecisionCounters;
import io.weir.decision.DecisionEngine;
import io.weir.decision.RuleCounters;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import io.weir.rules.match.MalformedRequestException;
import io.weir.text.DidYouMean;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds the rule that a request refers to. */
final class RuleFinder {
  /** Parameters that are not attributes. */
  static final Set<String> RESERVED = Set.of("rule", "domain", "permits", "id", "reveal");

  private static final int MAX_PLACES = 3;
  private static final int MAX_GUESSES = 1000; // comparing takes time

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
    List<String> domains = found.stream().map(Rule::domain).distinct().toList();
    if (domains.size() > 1) {
      throw new MalformedRequestException(
          "there are several rules '"
              + name
              + "'; choose one with 'domain', one of: "
              + String.join(", ", domains));
    }
    return only(name, found);
  }

  /**
   * The rule with this label in metrics.
   *
   * @throws MalformedRequestException if there is none, or several share it
   */
  static Rule labelled(@Nullable String label, DecisionEngine decisionEngine) {
    String known = known(label, decisionEngine);
    List<Rule> found = decisionEngine.decisionCounters().labelled(known, decisionEngine::rules);
    if (found.isEmpty()) {
      throw new MalformedRequestException(
          "'" + known + "' are limits sent with requests: there is no rule of that name");
    }
    return only(known, found);
  }

  /**
   * {@link #labelled}; empty if several rules share that label, or its limits are sent with
   * requests.
   */
  static Optional<Rule> ifKnown(String label, DecisionEngine decisionEngine) {
    List<Rule> found = decisionEngine.decisionCounters().labelled(label, decisionEngine::rules);
    return found.size() == 1 ? Optional.of(found.get(0)) : Optional.empty();
  }

  /**
   * Checks that the label is used in metrics, or could be, and returns it.
   *
   * @throws MalformedRequestException if it is not
   */
  static String known(@Nullable String label, DecisionEngine decisionEngine) {
    if (label == null || label.isEmpty()) {
      throw new MalformedRequestException("'rule' is missing: the name of a rule");
    }
    DecisionCounters decisionCounters = decisionEngine.decisionCounters();
    if (decisionCounters.labelled(label, decisionEngine::rules).isEmpty()
        && !decisionCounters.isOfOverrides(label, decisionEngine::rules)) {
      List<String> known =
          decisionCounters.rules(decisionEngine::rules).stream().map(RuleCounters::label).toList();
      throw new MalformedRequestException("there is no rule '" + label + "'" + guess(label, known));
    }
    return label;
  }

  private static Rule only(String name, List<Rule> found) {
    if (found.size() > 1) {
      throw new MalformedRequestException(
          "%d limits share the name '%s' (%s), and are counted as one: give each a name of its own"
              .formatted(found.size(), name, places(found)));
    }
    return found.get(0);
  }

  private static String places(List<Rule> rules) {
    String some =
        rules.stream()
            .limit(MAX_PLACES)
            .map(rule -> rule.sourceLocation().file() + ":" + rule.sourceLocation().line())
            .collect(Collectors.joining(", "));
    return rules.size() > MAX_PLACES ? some + ", …" : some;
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
    return DidYouMean.of(word, known.subList(0, Math.min(known.size(), MAX_GUESSES)));
  }
}
