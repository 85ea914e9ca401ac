package io.weir.rules.lint;

import io.weir.rules.Domain;
import io.weir.rules.Place;
import io.weir.rules.Rule;
import io.weir.rules.file.Problem;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** An attribute that is declared, but that no rule speaks of, not even one that is off. */
final class UnusedAttributes implements Check {
  @Override
  public void inspect(Survey survey, Consumer<Problem> report) {
    survey.territories().forEach(territory -> inspect(territory, report));
  }

  private static void inspect(Survey.Territory territory, Consumer<Problem> report) {
    Set<String> used = new HashSet<>();
    for (Rule rule : territory.domain().rules()) {
      Subject.spokenOf(rule).forEach(name -> territory.vocabulary().addWithParts(name, used));
    }
    for (String name : new TreeSet<>(territory.domain().attributes().keySet())) {
      if (!used.contains(name)) {
        report.accept(
            Problem.warning(
                place(territory.domain(), name),
                "attribute '" + name + "' is used by no rule; use it, or remove it"));
      }
    }
  }

  /** Where an attribute is declared, or at least the file. */
  static Place place(Domain domain, String name) {
    return beginning(domain);
  }

  private static Place beginning(Domain domain) {
    return domain.rules().isEmpty()
        ? Place.NOWHERE
        : new Place(domain.rules().get(0).place().file(), 1, 1);
  }
}
