package io.weir.rules.lint;

import io.weir.rules.Problem;
import io.weir.rules.envoy.DescriptorNode;
import io.weir.text.DidYouMean;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** Finds limits of the Envoy form that replace a name that no limit of the domain has. */
final class UnknownReplaced implements LintCheck {
  @Override
  public void inspect(LintContext lintContext, Consumer<Problem> report) {
    for (LintContext.InspectedDomain inspectedDomain : lintContext.territories()) {
      List<DescriptorNode> top = inspectedDomain.domain().descriptors().nodes();
      Set<String> names = new TreeSet<>();
      addNames(top, names);
      inspect(top, names, report);
    }
  }

  private static void addNames(List<DescriptorNode> level, Set<String> names) {
    for (DescriptorNode node : level) {
      node.limit().flatMap(DescriptorNode.RateLimit::name).ifPresent(names::add);
      addNames(node.children(), names);
    }
  }

  private static void inspect(
      List<DescriptorNode> level, Set<String> names, Consumer<Problem> report) {
    for (DescriptorNode node : level) {
      for (String replaced :
          node.limit().map(DescriptorNode.RateLimit::replaces).orElse(List.of())) {
        if (!names.contains(replaced)) {
          report.accept(
              Problem.warning(
                  node.sourceLocation(),
                  "the descriptor '"
                      + (node.label()
                          + "' replaces '"
                          + replaced
                          + "', but no limit of this domain")
                      + (" has this name" + DidYouMean.of(replaced, names))));
        }
      }
      inspect(node.children(), names, report);
    }
  }
}
