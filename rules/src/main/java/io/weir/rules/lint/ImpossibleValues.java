package io.weir.rules.lint;

import io.weir.rules.AttributeSource;
import io.weir.rules.Place;
import io.weir.rules.Variant;
import io.weir.rules.file.Problem;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.Test;
import io.weir.text.DidYouMean;
import java.util.Collection;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Finds values in a match that no request can have: {@code method: HEAD}. */
final class ImpossibleValues implements Check.OfOneRule {
  private static final int MOST_NAMED = 5;

  @Override
  public void inspect(Subject subject, Consumer<Problem> report) {
    Place place = subject.rule().place();
    inspect(
        subject, subject.title(), "the rule never applies", subject.rule().match(), place, report);
    for (Match exempt : subject.rule().exempt()) {
      inspect(
          subject, "'exempt' of " + subject.title(), "it exempts nothing", exempt, place, report);
    }
    for (Variant variant : subject.rule().variants()) {
      inspect(
          subject,
          subject.title(variant),
          "the override is never used",
          variant.match(),
          variant.place(),
          report);
    }
  }

  private static void inspect(
      Subject subject,
      String whose,
      String consequence,
      Match match,
      Place place,
      Consumer<Problem> report) {
    for (Condition condition : match.conditions()) {
      for (Test test : condition.anyOf()) {
        String why = why(subject, condition.attribute(), test);
        if (why != null && !isHarmless(condition, test)) {
          boolean isAll = !subject.isPossible(condition);
          report.accept(
              Problem.warning(
                  place,
                  (whose + ": '" + condition.attribute() + ": " + test + "' never matches")
                      + (isAll ? ", so " + consequence : "")
                      + (": " + why)));
        }
      }
    }
  }

  /** HEAD beside GET has no effect, but the rule does what was intended. */
  private static boolean isHarmless(Condition condition, Test test) {
    return condition.attribute().equals("method")
        && test.equals(new Test.Is("HEAD"))
        && condition.anyOf().contains(new Test.Is("GET"));
  }

  /** Why {@code test} can never hold for {@code name}, and what to do; null if it may hold. */
  static @Nullable String why(Subject subject, String name, Test test) {
    if (test instanceof Test.Is is && !subject.isSegment(name)) {
      if (is.value().isEmpty()) {
        return "an empty value counts as absent; write ~";
      }
      if (subject.vocabulary().isGiven(name) && !subject.vocabulary().isKey(name)) {
        String spelled = spelled(name, is.value());
        if (!spelled.equals(is.value())) {
          return is.value().equals("HEAD")
              ? "HEAD counts as GET; write GET"
              : respell(name, spelled);
        }
      }
    }
    return subject.canBe(name, test) ? null : whyNot(subject, name, test);
  }

  private static String respell(String name, String spelled) {
    return (name.equals("method")
            ? "methods are compared in capitals"
            : "hosts are compared in small letters and without port")
        + ("; write " + spelled);
  }

  /** The spelling of a value in an attribute that front ends set. */
  private static String spelled(String name, String value) {
    if (name.equals("method")) {
      String method = value.toUpperCase(Locale.ROOT);
      return method.equals("HEAD") ? "GET" : method;
    }
    return name.equals("host")
        ? value.toLowerCase(Locale.ROOT).replaceFirst(":[0-9]*$", "").replaceFirst("(.)\\.$", "$1")
        : value;
  }

  private static String whyNot(Subject subject, String name, Test test) {
    if (subject.isSegment(name)) {
      return "it is a segment of the rule's path and always there";
    }
    AttributeSource source = subject.vocabulary().source(name);
    if (!(source instanceof AttributeSource.Lookup lookup)) {
      return "none of the attributes that '" + name + "' is the first of can be that";
    }
    if (test instanceof Test.Absent) {
      return "without an entry in its table it is '" + lookup.otherwise().orElse("") + "'";
    }
    Collection<String> values = subject.vocabulary().values(name, lookup);
    return "'" + name + "' is looked up and can only be " + listed(values) + guess(test, values);
  }

  private static String guess(Test test, Collection<String> values) {
    return test instanceof Test.Is is && values.size() <= 1000
        ? DidYouMean.of(is.value(), values)
        : "";
  }

  private static String listed(Collection<String> values) {
    if (values.isEmpty()) {
      return "absent, since its table is empty";
    }
    return values.stream()
            .limit(MOST_NAMED)
            .map(each -> "'" + each + "'")
            .collect(Collectors.joining(", "))
        + (values.size() > MOST_NAMED ? " and " + (values.size() - MOST_NAMED) + " more" : "");
  }
}
