package io.weir.rules.lint;

import io.weir.rules.Problem;
import io.weir.rules.Rule;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

/** Finds attributes that a file declares but no rule uses, not even one that is off. */
final class UnusedAttributes implements LintCheck {
  @Override
  public void inspect(LintContext lintContext, Consumer<Problem> report) {
    lintContext.territories().forEach(inspectedDomain -> inspect(inspectedDomain, report));
  }

  private static void inspect(
      LintContext.InspectedDomain inspectedDomain, Consumer<Problem> report) {
    Set<String> used = new HashSet<>();
    for (Rule rule : inspectedDomain.domain().rules()) {
      rule.attributes()
          .forEach(name -> inspectedDomain.domainAttributes().addWithParts(name, used));
    }
    inspectedDomain
        .domain()
        .sourceLocations()
        .forEach(
            (name, sourceLocation) -> {
              if (!used.contains(name)) {
                report.accept(
                    Problem.warning(
                        sourceLocation,
                        "attribute '" + name + "' is used by no rule; use it, or remove it"));
              }
            });
  }
}
