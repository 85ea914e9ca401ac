package io.weir.server.seeing;

import io.weir.Limit;
import io.weir.rules.Domain;
import io.weir.rules.Rule;
import io.weir.rules.RuleSet;
import java.util.List;
import java.util.function.Function;

/** The limit of a proposal as it is written in a file, to take the place of the rule's own. */
public final class Snippet {
  /** The form of Envoy's rate limit service. */
  private static final Form DESCRIPTORS =
      new Form("rate_limit", "rate_limit", "rate_limit (and keep name and replaces)");

  private static final Form RULES = new Form("limit", "limits", "limit");

  private Snippet() {}

  /**
   * What stands in the file instead, and before it whose it is. The rest of the rule is left out:
   * what it is for, and how seriously it is taken, stays as it is there.
   *
   * @param rules those that the rule is one of
   */
  public static String of(Proposal proposal, RuleSet rules) {
    Rule rule = proposal.rule();
    boolean isDescriptor = isDescriptor(rule, rules);
    Form form = isDescriptor ? DESCRIPTORS : RULES;
    Function<Limit, String> yaml = isDescriptor ? LimitText::envoy : LimitText::yaml;
    List<Limit> limits = proposal.limits();
    String words =
        "# rule '%s', %s:%d: replace its %s by"
            .formatted(rule.name(), rule.place().file(), rule.place().line(), form.replaced);
    StringBuilder text =
        new StringBuilder(words.replaceAll("[\\p{Cntrl}\\x{2028}\\x{2029}]", "?")).append('\n');
    if (limits.size() == 1) {
      return text.append(form.one + ": " + yaml.apply(limits.get(0)) + "\n").toString();
    }
    text.append(form.several).append(":\n");
    limits.forEach(each -> text.append("  - ").append(yaml.apply(each)).append('\n'));
    return text.toString();
  }

  private static boolean isDescriptor(Rule rule, RuleSet rules) {
    for (Domain domain : rules.domains()) {
      if (domain.name().equals(rule.domain())) {
        return domain.rules().stream().noneMatch(rule::equals) && domain.allRules().contains(rule);
      }
    }
    return false;
  }

  /** How a file calls it. */
  private record Form(String one, String several, String replaced) {}
}
