package io.weir.rules.lint;

import io.weir.rules.Rule;
import io.weir.rules.file.Problem;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/** Finds attributes that a file declares but no rule uses, not even one that is off. */
final class UnusedAttributes implements Check {
  @Override
  public void inspect(Survey survey, Consumer<Problem> report) {
    survey.territories().forEach(territory -> inspect(territory, report));
  }

  private static void inspect(Survey.Territory territory, Consumer<Problem> report) {
    Set<String> used = new HashSet<>();
    for (Rule rule : territory.domain().rules()) {
      rule.attributes().forEach(name -> territory.vocabulary().addWithParts(name, used));
    }
    territory
        .domain()
        .places()
        .forEach(
            (name, place) -> {
              if (!used.contains(name)) {
                report.accept(
                    Problem.warning(
                        place,
                        "attribute '" + name + "' is used by no rule; use it, or remove it"));
              }
            });
  }
}
