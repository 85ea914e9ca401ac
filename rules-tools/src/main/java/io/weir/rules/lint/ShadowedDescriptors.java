package io.weir.rules.lint;

import io.weir.rules.Problem;
import io.weir.rules.envoy.DescriptorNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds nodes of the Envoy form that no descriptor reaches, because an earlier pattern on the same
 * level takes all of their entries. Exact values take precedence over patterns wherever they stand,
 * and a key alone comes last.
 */
final class ShadowedDescriptors implements LintCheck {
  private static final int MAX_COMPARED = 64;
  private static final String ANY = "*";

  @Override
  public void inspect(LintContext lintContext, Consumer<Problem> report) {
    for (LintContext.InspectedDomain inspectedDomain : lintContext.territories()) {
      inspect(inspectedDomain.domain().descriptors().nodes(), report);
    }
  }

  private static void inspect(List<DescriptorNode> level, Consumer<Problem> report) {
    List<DescriptorNode> patterns = new ArrayList<>();
    for (DescriptorNode node : level) {
      if (node.isPattern() && !report(node, taker(patterns, node), report)) {
        patterns.add(node);
      }
    }
    for (DescriptorNode node : level) {
      if (!node.isPattern() && node.value().isEmpty()) {
        report(node, taker(patterns, node), report);
      }
      inspect(node.children(), report);
    }
  }

  private static @Nullable DescriptorNode taker(
      List<DescriptorNode> patterns, DescriptorNode node) {
    for (DescriptorNode pattern : patterns.subList(0, Math.min(patterns.size(), MAX_COMPARED))) {
      if (covers(pattern.key(), node.key()) && covers(valueOf(pattern), valueOf(node))) {
        return pattern;
      }
    }
    return null;
  }

  private static String valueOf(DescriptorNode node) {
    return node.value().isEmpty() ? ANY : node.value();
  }

  private static boolean report(
      DescriptorNode node, @Nullable DescriptorNode taker, Consumer<Problem> report) {
    if (taker == null) {
      return false;
    }
    report.accept(
        Problem.warning(
            node.sourceLocation(),
            "the descriptor '"
                + (node.label()
                    + "' is never used: '"
                    + taker.label()
                    + "' ("
                    + taker.sourceLocation())
                + ") takes all of its entries; "
                + (node.isPattern() ? "put the narrower one first" : "remove one of them")));
    return true;
  }

  /**
   * Whether {@code wide} matches every text that {@code narrow} matches, where a star matches any
   * text. That is so if {@code wide} matches the characters of {@code narrow} and only stars of
   * {@code wide} take the stars of {@code narrow}.
   */
  static boolean covers(String wide, String narrow) {
    boolean[] reached = new boolean[narrow.length() + 1];
    reached[0] = true;
    for (int i = 0; i < wide.length(); i++) {
      char c = wide.charAt(i);
      if (c == '*') {
        for (int j = 1; j < reached.length; j++) {
          reached[j] |= reached[j - 1];
        }
      } else {
        for (int j = reached.length - 1; j > 0; j--) {
          reached[j] = reached[j - 1] && narrow.charAt(j - 1) == c;
        }
        reached[0] = false;
      }
    }
    return reached[narrow.length()];
  }
}
