package io.weir.insight.whatif;

import io.weir.Limit;
import io.weir.rules.Rule;
import io.weir.rules.RuleOverride;
import io.weir.rules.SourceLocation;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A proposed limit as it is written in a rule file, to replace the rule's own. */
public final class Snippet {
  /** The form of Envoy's rate limit service. */
  private static final Form DESCRIPTORS =
      new Form(
          "rate_limit: ",
          "rate_limit",
          "rate_limit (and keep name and replaces)",
          LimitFormatter::envoy);

  private static final Form RULES = new Form("limit: ", "limits", "limit", LimitFormatter::yaml);

  /** The form with {@code rate_limits:}, where a rule is its limit. */
  private static final Form TIERS = new Form("", "", "two numbers", LimitFormatter::tier);

  private Snippet() {}

  /**
   * The replacement text, after a comment with the name of the rule or override. The rest of the
   * rule is left out, because its conditions and mode do not change.
   */
  public static String of(Proposal proposal, @Nullable String override) {
    Rule rule = proposal.rule();
    Form form = form(rule);
    List<Limit> limits = proposal.limits();
    SourceLocation sourceLocation =
        proposal.override().map(RuleOverride::sourceLocation).orElse(rule.sourceLocation());
    String words =
        "# rule '%s'%s, %s:%d: replace its %s by"
            .formatted(
                rule.name(),
                ofOverride(override),
                sourceLocation.file(),
                sourceLocation.line(),
                form.replaced);
    StringBuilder text =
        new StringBuilder(words.replaceAll("[\\p{Cntrl}\\x{2028}\\x{2029}]", "?")).append('\n');
    if (limits.size() == 1) {
      return text.append(form.one + form.yaml.apply(limits.get(0)) + "\n").toString();
    }
    text.append(form.several).append(":\n");
    limits.forEach(each -> text.append("  - ").append(form.yaml.apply(each)).append('\n'));
    return text.toString();
  }

  private static String ofOverride(@Nullable String override) {
    return override == null ? "" : ", override '" + override + "'";
  }

  private static Form form(Rule rule) {
    return switch (rule.form()) {
      case OWN -> RULES;
      case TIERS -> TIERS;
      case DESCRIPTORS -> DESCRIPTORS;
    };
  }

  /** The names of a file format for limits, and how it writes them. */
  private record Form(String one, String several, String replaced, Function<Limit, String> yaml) {}
}
