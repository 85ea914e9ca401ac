package io.weir.rules;

import io.weir.Limit;
import io.weir.rules.match.Match;
import java.util.List;
import java.util.Optional;

/**
 * One of a rule's {@code overrides}: other limits for some of its requests, with buckets of their
 * own.
 *
 * @param name the name of its buckets; its match if empty
 */
public record RuleOverride(
    Optional<String> name, Match match, List<Limit> limits, SourceLocation sourceLocation) {
  /** Copies the list. */
  public RuleOverride {
    limits = List.copyOf(limits);
  }

  /** Identifies its buckets among those of the rule's other variants. */
  public String id() {
    return name.orElseGet(match::toString);
  }
}
