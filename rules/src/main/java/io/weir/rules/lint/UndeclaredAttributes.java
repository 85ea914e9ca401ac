package io.weir.rules.lint;

import io.weir.rules.Place;
import io.weir.rules.file.Problem;
import io.weir.text.DidYouMean;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Finds attributes that rules use but no file declares: an HTTP request never has them. */
final class UndeclaredAttributes implements Check {
  @Override
  public void inspect(Survey survey, Consumer<Problem> report) {
    survey.territories().forEach(territory -> inspect(territory, report));
  }

  private static void inspect(Survey.Territory territory, Consumer<Problem> report) {
    Vocabulary vocabulary = territory.vocabulary();
    Set<String> said = new HashSet<>();
    for (Subject subject : territory.subjects()) {
      if (subject.reach() != null) {
        said.addAll(MissingKeys.missing(subject));
      }
    }
    for (Subject subject : territory.subjects()) {
      for (String name : subject.spokenOf()) {
        if (!vocabulary.knows(name) && said.add(name)) {
          report.accept(warning(subject.rule().place(), subject.title(), name, vocabulary));
        }
      }
    }
    new TreeMap<>(territory.domain().places())
        .forEach(
            (name, place) -> {
              for (String part : vocabulary.parts(name)) {
                if (!vocabulary.knows(part) && said.add(part)) {
                  report.accept(warning(place, "attribute '" + name + "'", part, vocabulary));
                }
              }
            });
  }

  private static Problem warning(Place place, String whose, String name, Vocabulary vocabulary) {
    return Problem.warning(
        place,
        whose
            + (" uses '" + name + "': ")
            + consequence(name)
            + DidYouMean.of(name, vocabulary.names()));
  }

  static String consequence(String name) {
    return "it is declared nowhere, so no HTTP request has it; declare it under 'attributes', as in "
        + (name + ": { header: " + header(name) + " }");
  }

  /** {@code X-Api-Key} for {@code api_key}. */
  private static String header(String name) {
    StringBuilder header = new StringBuilder("X");
    for (String word : name.split("[^A-Za-z0-9]+", -1)) {
      if (!word.isEmpty()) {
        header
            .append('-')
            .append(Character.toUpperCase(word.charAt(0)))
            .append(word, 1, word.length());
      }
    }
    return header.toString();
  }
}
