package io.weir.rules.file;

import io.weir.rules.file.Node.Entry;
import io.weir.rules.file.Node.Mapping;
import io.weir.rules.file.Node.Scalar;
import io.weir.rules.file.Node.Sequence;
import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.Network;
import io.weir.rules.match.PathPattern;
import io.weir.rules.match.Test;
import io.weir.rules.text.Excerpt;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code match}: the requests that a rule, an override or an exemption applies to. */
final class MatchReader {
  private final Problems problems;

  MatchReader(Problems problems) {
    this.problems = problems;
  }

  /** A match; on errors, one for every request. */
  Match match(Node node) {
    if (!(node instanceof Mapping mapping)) {
      problems.error(
          node.place(), "a match must be a map of attributes to values, but is " + node.inWords());
      return Match.EVERYTHING;
    }
    List<Condition> conditions = new ArrayList<>();
    for (Entry entry : mapping.entries()) {
      Condition condition = condition(entry);
      if (condition != null) {
        conditions.add(condition);
      }
    }
    return new Match(conditions);
  }

  private @Nullable Condition condition(Entry entry) {
    String attribute = entry.key().text();
    if (attribute.isBlank()) {
      problems.error(entry.key().place(), "an attribute must have a name");
      return null;
    }
    List<Node> values =
        entry.value() instanceof Sequence list ? list.items() : List.of(entry.value());
    if (values.isEmpty()) {
      problems.error(
          entry.value().place(), "an empty list matches nothing; write at least one value");
    }
    Set<Test> tests = new LinkedHashSet<>();
    for (Node value : values) {
      Test test = test(attribute, value);
      if (test != null) {
        tests.add(test);
      }
    }
    if (attribute.equals("method")) {
      refuseHeadAlone(tests, values);
    }
    return tests.isEmpty() ? null : new Condition(attribute, List.copyOf(tests));
  }

  private @Nullable Test test(String attribute, Node node) {
    if (!(node instanceof Scalar value)) {
      problems.error(
          node.place(),
          "the value of "
              + Excerpt.quoted(attribute)
              + " must be a text or a list of them, but is "
              + node.inWords());
      return null;
    }
    if (value.text().isEmpty()) {
      problems.error(
          node.place(),
          "a value is missing for "
              + Excerpt.quoted(attribute)
              + "; write ~ for absent, \"*\" for present");
      return null;
    }
    if (value.isNull()) {
      return new Test.Absent();
    }
    if (value.text().equals("*")) {
      return new Test.Present();
    }
    try {
      return switch (attribute) {
        case "path" -> new Test.OnPath(PathPattern.parse(value.text()));
        case "ip" -> new Test.InNetwork(Network.parse(value.text()));
        case "method" -> text(value.text().toUpperCase(Locale.ROOT));
        case "host" -> text(value.text().toLowerCase(Locale.ROOT));
        default -> text(value.text());
      };
    } catch (IllegalArgumentException e) {
      problems.error(
          value.place(),
          "bad " + attribute + ": " + Excerpt.of(String.valueOf(e.getMessage()), 300));
      return null;
    }
  }

  private static Test text(String value) {
    int star = value.indexOf('*');
    if (star < 0) {
      return new Test.Is(value);
    }
    if (star != value.length() - 1) {
      throw new IllegalArgumentException(
          Excerpt.quoted(value) + " has a '*' that is not at its end, where it means any rest");
    }
    return new Test.StartsWith(value.substring(0, star));
  }

  /** HEAD counts as GET, so the method attribute is never HEAD. */
  private void refuseHeadAlone(Set<Test> tests, List<Node> values) {
    Test head = new Test.Is("HEAD");
    if (tests.remove(head) && !tests.contains(new Test.Is("GET"))) {
      values.stream()
          .filter(value -> value instanceof Scalar text && text.text().equalsIgnoreCase("HEAD"))
          .forEach(value -> problems.error(value.place(), "HEAD counts as GET; write GET"));
    }
  }
}
