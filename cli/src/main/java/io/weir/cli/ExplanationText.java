package io.weir.cli;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.rules.AttributeSource.Field;
import io.weir.rules.Explanation;
import io.weir.rules.Explanation.Attribute;
import io.weir.rules.Explanation.OfDomain;
import io.weir.rules.Explanation.OfRule;
import io.weir.rules.Explanation.Outcome;
import io.weir.rules.Policy;
import io.weir.rules.RequestDecision;
import io.weir.rules.Rule;
import io.weir.rules.RuleDecision;
import io.weir.rules.RuleOverride;
import io.weir.rules.http.DecisionResponses;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.HeaderStyle;
import io.weir.rules.http.HttpRequest;
import io.weir.rules.match.Condition;
import io.weir.rules.match.ValueMatcher;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The output of {@code weir explain}, section by section. */
final class ExplanationText {
  /** Up to this many rules that do not match are listed without an option. */
  private static final int FEW = 5;

  private final PrintWriter out;
  private final boolean namesAll;
  private final DecisionResponses decisionResponses = new DecisionResponses(HeaderStyle.DEFAULT);

  ExplanationText(PrintWriter out, boolean namesAll) {
    this.out = out;
    this.namesAll = namesAll;
  }

  void request(HttpRequest request) {
    out.println(
        AnsiStyle.BOLD.on(request.method() + " " + request.target()) + " from " + request.ip());
  }

  void explanation(Explanation explanation) {
    for (OfDomain domain : explanation.domains()) {
      boolean isOnly =
          explanation.domains().size() == 1 && domain.domain().name().equals(Rule.DEFAULT_DOMAIN);
      String of = isOnly ? "" : " of domain " + domain.domain().name();
      title("Attributes" + of);
      attributes(domain);
      title("Rules" + of);
      rules(domain.rules());
    }
    if (explanation.domains().isEmpty()) {
      title("Rules");
      out.println("  none");
    }
  }

  private void attributes(OfDomain domain) {
    Map<String, String> values = new TreeMap<>();
    domain.attributes().forEach(each -> each.value().ifPresent(v -> values.put(each.name(), v)));
    Columns columns = new Columns();
    for (Attribute attribute : inOrder(domain.attributes())) {
      String how = AttributeSourceText.of(attribute, values);
      if (attribute.value().isPresent() || !how.isEmpty()) {
        columns.add(attribute.name(), attribute.value().orElse("-"), how);
      }
    }
    columns.print(out);
  }

  /** Attributes of the request first, then derived ones. */
  private static List<Attribute> inOrder(List<Attribute> attributes) {
    List<Attribute> sorted = new ArrayList<>(attributes);
    sorted.sort(
        Comparator.comparing(
            each -> each.source().map(source -> !(source instanceof Field)).orElse(false)));
    return sorted;
  }

  private void rules(List<OfRule> rules) {
    List<OfRule> unmatched = new ArrayList<>();
    int off = 0;
    for (OfRule rule : rules) {
      if (rule.outcome() instanceof Outcome.Unmet) {
        unmatched.add(rule);
      } else if (rule.outcome() instanceof Outcome.Off) {
        off++;
      }
    }
    boolean namesUnmatched = namesAll || unmatched.size() <= FEW;
    boolean namesOff = namesAll || off <= FEW;
    for (OfRule rule : rules) {
      if (rule.outcome() instanceof Outcome.Applies applies) {
        applying(rule, applies);
      } else if (rule.outcome() instanceof Outcome.Unmet
          ? namesUnmatched
          : isNamed(rule, namesOff)) {
        notApplying(rule);
      }
    }
    if (!namesUnmatched) {
      more(unmatched.size(), "do not match");
    }
    if (!namesOff) {
      more(off, "are off");
    }
    if (rules.isEmpty()) {
      out.println("  none");
    }
  }

  private static boolean isNamed(OfRule rule, boolean namesOff) {
    return namesOff || !(rule.outcome() instanceof Outcome.Off);
  }

  private void more(int count, String what) {
    out.println(AnsiStyle.FAINT.on("  " + count + " other rules " + what + "; --all lists them"));
  }

  private void applying(OfRule explained, Outcome.Applies applies) {
    Rule rule = explained.rule();
    boolean isTried = rule.policy().mode() == Policy.Mode.SHADOW;
    out.println(
        "  "
            + AnsiStyle.GREEN.on("✓")
            + (" " + AnsiStyle.BOLD.on(rule.name()) + " applies")
            + (isTried ? ", in shadow mode: it is charged, but never refuses" : "")
            + AnsiStyle.FAINT.on("  " + rule.sourceLocation()));
    Columns columns = new Columns("      ");
    if (!rule.match().conditions().isEmpty()) {
      columns.add("match", rule.match().toString());
    }
    for (Attribute segment : explained.segments()) {
      segment.value().ifPresent(v -> columns.add(segment.name(), v + ", from the path"));
    }
    if (rule.per().isEmpty()) {
      columns.add("key", "none: one bucket for all");
    } else {
      columns.add("key", applies.key() + ", by " + String.join(" and ", rule.per()));
    }
    columns.add("cost", Long.toString(applies.cost()));
    applies
        .ruleOverride()
        .ifPresent(ruleOverride -> columns.add("override", override(ruleOverride)));
    List<Limit> limits = applies.ruleOverride().map(RuleOverride::limits).orElse(rule.limits());
    for (Limit limit : limits) {
      columns.add("limit", limit.toString());
    }
    columns.print(out);
  }

  private static String override(RuleOverride ruleOverride) {
    String match = ruleOverride.match() + ", " + ruleOverride.sourceLocation();
    return ruleOverride.name().map(name -> name + " " + match).orElse(match);
  }

  private void notApplying(OfRule explained) {
    Rule rule = explained.rule();
    out.println("  · " + rule.name() + " " + why(explained.outcome()));
  }

  private static String why(Outcome outcome) {
    if (outcome instanceof Outcome.Unmet unmet) {
      return "does not match: " + unmet(unmet);
    }
    if (outcome instanceof Outcome.Exempt exempt) {
      return "does not count this request: exempt " + exempt.by();
    }
    if (outcome instanceof Outcome.Lacks lacks) {
      return "does not cover this request: it is per "
          + (lacks.attribute() + ", and the request has no " + lacks.attribute());
    }
    if (outcome instanceof Outcome.Unlimited) {
      return "matches, but has no limit for this request";
    }
    return "is off";
  }

  private static String unmet(Outcome.Unmet unmet) {
    Condition condition = unmet.condition();
    String expected =
        condition.anyOf().stream()
            .map(
                valueMatcher ->
                    valueMatcher instanceof ValueMatcher.Absent
                        ? "absent"
                        : valueMatcher.toString())
            .collect(Collectors.joining(", "));
    if (unmet.value().isEmpty()) {
      return "the request has no " + condition.attribute() + " (asked for: " + expected + ")";
    }
    return condition.attribute()
        + (" is " + unmet.value().get())
        + (condition.anyOf().size() == 1 ? ", not " : ", none of ")
        + expected;
  }

  void decision(RequestDecision requestDecision, int nth, HttpRequest request) {
    title("Decision");
    String which =
        nth == 1 ? "a first request" : "request " + nth + " of " + nth + " at one moment";
    out.println("  " + decision(requestDecision, which));
    for (RuleDecision shadow : requestDecision.shadows()) {
      String name = shadow.rule().name();
      out.println(
          shadow.decision().allowed()
              ? "  shadow rule " + name + " would allow it as well"
              : "  shadow rule " + name + " would refuse it if it were enforced");
    }
    if (requestDecision.allowed()) {
      title("Response: as it comes from behind the limiter, and");
      decisionResponses.headers(requestDecision).forEach(header -> out.println("  " + header));
      if (requestDecision.deciding().isEmpty()) {
        out.println("  no rate limit headers, because no enforced rule applies");
      }
    } else {
      response(decisionResponses.refusal(requestDecision, request.header("Accept")));
    }
  }

  private static String decision(RequestDecision requestDecision, String which) {
    if (requestDecision.deciding().isEmpty()) {
      return AnsiStyle.GREEN.on("allowed") + ": no enforced rule applies";
    }
    RuleDecision deciding = requestDecision.deciding().get();
    Decision decision = deciding.decision();
    String by = " by " + deciding.rule().name();
    if (decision.allowed()) {
      return which
          + " would be "
          + AnsiStyle.GREEN.on("allowed" + by)
          + (", with " + decision.remaining() + " of " + decision.limit().capacity() + " left")
          + (requestDecision.delay().isZero()
              ? ""
              : ", after a delay of " + seconds(requestDecision.delay()));
    }
    return which
        + " would be "
        + AnsiStyle.RED.on("refused" + by)
        + (decision.neverFits()
            ? ": it costs more than the limit can ever give"
            : ", and would fit after " + seconds(decision.retryAfter().orElseThrow()));
  }

  private static String seconds(java.time.Duration duration) {
    return duration.toMillis() / 1000.0 + " s";
  }

  void malformed(String reason, DirectResponse directResponse) {
    title("Decision");
    out.println("  " + AnsiStyle.RED.on("malformed") + ": " + reason);
    response(directResponse);
  }

  private void response(DirectResponse directResponse) {
    title("Response");
    out.println("  HTTP/1.1 " + directResponse.status() + " " + directResponse.reason());
    directResponse.headers().forEach(header -> out.println("  " + header));
    out.println();
    out.println("  " + directResponse.body());
  }

  private void title(String title) {
    out.println();
    out.println(AnsiStyle.BOLD.on(title));
  }
}
