package io.weir.rules.lint;

import io.weir.rules.Problem;
import io.weir.rules.SourceLocation;
import io.weir.text.DidYouMean;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Finds attributes that rules use but no file declares: an HTTP request never has them. */
final class UndeclaredAttributes implements LintCheck {
  @Override
  public void inspect(LintContext lintContext, Consumer<Problem> report) {
    lintContext.territories().forEach(inspectedDomain -> inspect(inspectedDomain, report));
  }

  private static void inspect(
      LintContext.InspectedDomain inspectedDomain, Consumer<Problem> report) {
    DomainAttributes domainAttributes = inspectedDomain.domainAttributes();
    Set<String> said = new HashSet<>();
    for (InspectedRule inspectedRule : inspectedDomain.inspectedRules()) {
      if (inspectedRule.reach() != null) {
        said.addAll(MissingKeys.missing(inspectedRule));
      }
    }
    for (InspectedRule inspectedRule : inspectedDomain.inspectedRules()) {
      for (String name : inspectedRule.spokenOf()) {
        if (!domainAttributes.knows(name) && said.add(name)) {
          report.accept(
              warning(
                  inspectedRule.rule().sourceLocation(),
                  inspectedRule.title(),
                  name,
                  domainAttributes));
        }
      }
    }
    new TreeMap<>(inspectedDomain.domain().sourceLocations())
        .forEach(
            (name, sourceLocation) -> {
              for (String part : domainAttributes.parts(name)) {
                if (!domainAttributes.knows(part) && said.add(part)) {
                  report.accept(
                      warning(sourceLocation, "attribute '" + name + "'", part, domainAttributes));
                }
              }
            });
  }

  private static Problem warning(
      SourceLocation sourceLocation, String owner, String name, DomainAttributes domainAttributes) {
    return Problem.warning(
        sourceLocation,
        owner
            + (" uses '" + name + "': ")
            + consequence(name)
            + DidYouMean.of(name, domainAttributes.names()));
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
