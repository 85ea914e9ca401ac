package io.weir.rules.file;

import io.weir.rules.match.Condition;
import io.weir.rules.match.Match;
import io.weir.rules.match.Network;
import io.weir.rules.match.PathPattern;
import io.weir.rules.match.ValueMatcher;
import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.ProblemCollector;
import io.weir.rules.yaml.YamlNode;
import io.weir.rules.yaml.YamlNode.Entry;
import io.weir.rules.yaml.YamlNode.Mapping;
import io.weir.rules.yaml.YamlNode.Scalar;
import io.weir.rules.yaml.YamlNode.Sequence;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code match}: the requests that a rule, an override or an exemption applies to. */
final class MatchReader {
  private final ProblemCollector problemCollector;

  MatchReader(ProblemCollector problemCollector) {
    this.problemCollector = problemCollector;
  }

  /** A match; on errors, one for every request. */
  Match match(YamlNode yamlNode) {
    if (!(yamlNode instanceof Mapping mapping)) {
      problemCollector.error(
          yamlNode.sourceLocation(),
          "a match must be a map of attributes to values, but is " + yamlNode.inWords());
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
      problemCollector.error(entry.key().sourceLocation(), "an attribute must have a name");
      return null;
    }
    List<YamlNode> values =
        entry.value() instanceof Sequence list ? list.items() : List.of(entry.value());
    if (values.isEmpty()) {
      problemCollector.error(
          entry.value().sourceLocation(),
          "an empty list matches nothing; write at least one value");
    }
    Set<ValueMatcher> valueMatchers = new LinkedHashSet<>();
    for (YamlNode value : values) {
      ValueMatcher valueMatcher = test(attribute, value);
      if (valueMatcher != null) {
        valueMatchers.add(valueMatcher);
      }
    }
    if (attribute.equals("method")) {
      refuseHeadAlone(valueMatchers, values);
    }
    return valueMatchers.isEmpty() ? null : new Condition(attribute, List.copyOf(valueMatchers));
  }

  private @Nullable ValueMatcher test(String attribute, YamlNode yamlNode) {
    if (!(yamlNode instanceof Scalar value)) {
      problemCollector.error(
          yamlNode.sourceLocation(),
          "the value of "
              + Excerpt.quoted(attribute)
              + " must be a text or a list of them, but is "
              + yamlNode.inWords());
      return null;
    }
    if (value.text().isEmpty()) {
      problemCollector.error(
          yamlNode.sourceLocation(),
          "a value is missing for "
              + Excerpt.quoted(attribute)
              + "; write ~ for absent, \"*\" for present");
      return null;
    }
    if (value.isNull()) {
      return new ValueMatcher.Absent();
    }
    if (value.text().equals("*")) {
      return new ValueMatcher.Present();
    }
    try {
      return switch (attribute) {
        case "path" -> new ValueMatcher.OnPath(PathPattern.parse(value.text()));
        case "ip" -> new ValueMatcher.InNetwork(Network.parse(value.text()));
        case "method" -> text(value.text().toUpperCase(Locale.ROOT));
        case "host" -> text(value.text().toLowerCase(Locale.ROOT));
        default -> text(value.text());
      };
    } catch (IllegalArgumentException e) {
      problemCollector.error(
          value.sourceLocation(),
          "bad " + attribute + ": " + Excerpt.of(String.valueOf(e.getMessage()), 300));
      return null;
    }
  }

  private static ValueMatcher text(String value) {
    int star = value.indexOf('*');
    if (star < 0) {
      return new ValueMatcher.Is(value);
    }
    if (star != value.length() - 1) {
      throw new IllegalArgumentException(
          Excerpt.quoted(value) + " has a '*' that is not at its end, where it means any rest");
    }
    return new ValueMatcher.StartsWith(value.substring(0, star));
  }

  /** HEAD counts as GET, so the method attribute is never HEAD. */
  private void refuseHeadAlone(Set<ValueMatcher> valueMatchers, List<YamlNode> values) {
    ValueMatcher head = new ValueMatcher.Is("HEAD");
    if (valueMatchers.remove(head) && !valueMatchers.contains(new ValueMatcher.Is("GET"))) {
      values.stream()
          .filter(value -> value instanceof Scalar text && text.text().equalsIgnoreCase("HEAD"))
          .forEach(
              value ->
                  problemCollector.error(value.sourceLocation(), "HEAD counts as GET; write GET"));
    }
  }
}
