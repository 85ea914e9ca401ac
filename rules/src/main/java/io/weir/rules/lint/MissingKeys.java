package io.weir.rules.lint;

import io.weir.rules.AttributeSource;
import io.weir.rules.file.Problem;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Test;
import io.weir.text.DidYouMean;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds rules per attribute that a request may lack: a request without it is not limited by the
 * rule.
 */
final class MissingKeys implements Check.OfOneRule {
  @Override
  public void inspect(Subject subject, Consumer<Problem> report) {
    if (subject.reach() == null) {
      return; // the rule never applies, which is reported elsewhere
    }
    for (String name : missing(subject)) {
      report.accept(
          Problem.warning(
              subject.rule().place(),
              subject.title()
                  + " does not cover requests without '"
                  + name
                  + "': "
                  + fix(subject, name)));
    }
  }

  /**
   * The attributes in {@code per} that a request may lack and that the rule's match does not
   * require.
   */
  static List<String> missing(Subject subject) {
    List<String> names = new ArrayList<>();
    for (String name : subject.rule().per()) {
      if (subject.mayBeMissing(name)
          && !subject.vocabulary().isKey(name)
          && !isAskedFor(subject, name)) {
        names.add(name);
      }
    }
    return names;
  }

  private static boolean isAskedFor(Subject subject, String name) {
    return subject.rule().match().conditions().stream()
        .anyMatch(condition -> condition.attribute().equals(name) && !allowsAbsence(condition));
  }

  private static boolean allowsAbsence(Condition condition) {
    return condition.anyOf().stream().anyMatch(Test.Absent.class::isInstance);
  }

  private static String fix(Subject subject, String name) {
    String meant = "; if that is meant, say so by match: { " + name + ": \"*\" }";
    if (subject.isSegment(name)) {
      return "not all paths of the rule have {" + name + "}; give it to each of them";
    }
    @Nullable AttributeSource source = subject.vocabulary().source(name);
    if (source instanceof AttributeSource.FirstOf first) {
      return "add an attribute to '"
          + (name + "' that every request has (first_of: [")
          + (String.join(", ", first.attributes()) + ", ip])" + meant);
    }
    if (source instanceof AttributeSource.Lookup) {
      return "give '" + name + "' a default" + meant;
    }
    return source == null
        ? UndeclaredAttributes.consequence(name) + DidYouMean.of(name, subject.vocabulary().names())
        : "be per an attribute that every request has (client: { first_of: ["
            + name
            + ", ip] })"
            + meant;
  }
}
