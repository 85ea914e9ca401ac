package io.weir.spring.method;

import io.weir.rules.Rule;
import io.weir.text.DidYouMean;
import java.util.List;

/** Finds rules by name, or by domain and name. */
public final class RuleLookup {
  private RuleLookup() {}

  /**
   * The rule called {@code text}: its name, or {@code domain/name} if several domains have it.
   *
   * @throws IllegalArgumentException if there is none, or more than one
   */
  public static Rule find(String text, List<Rule> rules) {
    List<Rule> found =
        rules.stream()
            .filter(rule -> rule.name().equals(text) || qualified(rule).equals(text))
            .toList();
    if (found.size() > 1) {
      throw new IllegalArgumentException(
          "several domains have a rule '%s'; use one of: %s"
              .formatted(
                  text, String.join(" or ", found.stream().map(RuleLookup::quoted).toList())));
    }
    return found.stream().findFirst().orElseThrow(() -> none(text, rules));
  }

  private static IllegalArgumentException none(String text, List<Rule> rules) {
    List<String> names = rules.stream().map(Rule::name).toList();
    return new IllegalArgumentException(
        "there is no rule '%s'%s%s"
            .formatted(
                text,
                DidYouMean.of(text, names),
                names.isEmpty() ? "" : "; there are: " + String.join(", ", names)));
  }

  private static String quoted(Rule rule) {
    return "'" + qualified(rule) + "'";
  }

  private static String qualified(Rule rule) {
    return rule.domain() + "/" + rule.name();
  }
}
