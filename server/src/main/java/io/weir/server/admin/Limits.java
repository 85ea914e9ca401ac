package io.weir.server.admin;

import io.weir.arbiter.Arbiter;
import io.weir.arbiter.Veil;
import io.weir.rules.Domain;
import io.weir.rules.Meter;
import io.weir.rules.Rule;
import io.weir.rules.Variant;
import io.weir.rules.match.MalformedRequestException;
import io.weir.text.DidYouMean;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A rule's own limits and those of its overrides: their names, and which apply to a caller. */
final class Limits {
  private final Rule rule;
  private final List<String> names;

  private Limits(Rule rule, List<String> names) {
    this.rule = rule;
    this.names = names;
  }

  /** The limits of a rule in force. */
  static Limits of(Rule rule, Arbiter arbiter) {
    return arbiter.rules().domains().stream()
        .filter(domain -> domain.name().equals(rule.domain()))
        .findFirst()
        .map(domain -> of(rule, domain))
        .orElseGet(() -> new Limits(rule, rule.variants().stream().map(any -> "?").toList()));
  }

  static Limits of(Rule rule, Domain domain) {
    return new Limits(rule, Veil.over(domain).names(rule));
  }

  Rule rule() {
    return rule;
  }

  /** The names of the overrides, in their order: unique, and with credentials masked. */
  List<String> names() {
    return names;
  }

  /** The name of an override; null for the rule's own limits. */
  @Nullable String name(Meter meter) {
    int override = meter.override();
    return override < 1 || override > names.size() ? null : names.get(override - 1);
  }

  /**
   * The override of that name.
   *
   * @param name null or empty: the rule's own limits
   * @throws MalformedRequestException if there is none
   */
  Optional<Variant> named(@Nullable String name) {
    if (name == null || name.isEmpty()) {
      return Optional.empty();
    }
    int at = names.indexOf(name);
    if (at < 0) {
      throw new MalformedRequestException(
          "rule '" + rule.name() + "' has no override '" + name + "'" + DidYouMean.of(name, names));
    }
    return Optional.of(rule.variants().get(at));
  }
}
