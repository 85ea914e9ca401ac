package io.weir.rules.yaml;

import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.YamlNode.Entry;
import io.weir.rules.yaml.YamlNode.Mapping;
import io.weir.rules.yaml.YamlNode.Scalar;
import io.weir.rules.yaml.YamlNode.Sequence;
import io.weir.text.DidYouMean;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads scalars: numbers, words from a list, names. */
public final class ScalarReader {
  private static final Pattern WHOLE = Pattern.compile("-?\\d{1,18}");
  private static final Pattern GROUPED = Pattern.compile("\\d+([_,'’]\\d+)+");

  /** The names that other rate limiters and proxies use, and Weir's names. */
  private static final Map<String, String> MEANT =
      Map.ofEntries(
          Map.entry("dry-run", "shadow"),
          Map.entry("dryrun", "shadow"),
          Map.entry("log-only", "shadow"),
          Map.entry("monitor", "shadow"),
          Map.entry("observe", "shadow"),
          Map.entry("report-only", "shadow"),
          Map.entry("enabled", "enforce"),
          Map.entry("on", "enforce"),
          Map.entry("disabled", "off"),
          Map.entry("fail-open", "allow"),
          Map.entry("open", "allow"),
          Map.entry("closed", "deny"),
          Map.entry("fail-closed", "deny"),
          Map.entry("reject", "deny"),
          Map.entry("gcra", "token-bucket"),
          Map.entry("sliding-counter", "sliding-window"),
          Map.entry("moving-window", "sliding-log"),
          Map.entry("rolling-window", "sliding-log"),
          Map.entry("semaphore", "concurrency"));

  private final ProblemCollector problemCollector;

  public ScalarReader(ProblemCollector problemCollector) {
    this.problemCollector = problemCollector;
  }

  /** A whole number that may be negative; null, and an error, if it is invalid. */
  @Nullable
  public Long wholeNumber(String what, Scalar scalar) {
    String text = scalar.text();
    if (WHOLE.matcher(text).matches()) {
      return Long.parseLong(text);
    }
    problemCollector.error(
        scalar.sourceLocation(),
        what
            + " must be a whole number, but is "
            + Excerpt.quoted(text)
            + (GROUPED.matcher(text).matches() ? "; write " + text.replaceAll("\\D", "") : ""));
    return null;
  }

  /** The entries of a map from names to {@code what}; none, and an error, if it is not a map. */
  public List<Entry> entries(String field, String what, @Nullable YamlNode yamlNode) {
    if (yamlNode == null) {
      return List.of();
    }
    if (yamlNode instanceof Mapping mapping) {
      return mapping.entries();
    }
    problemCollector.error(
        yamlNode.sourceLocation(),
        "'" + field + "' must be a map of names to " + what + ", but is " + yamlNode.inWords());
    return List.of();
  }

  /** Whether a field is present and {@code true}. */
  public boolean isTrue(YamlFields yamlFields, String field) {
    Scalar scalar = yamlFields.scalar(field);
    if (scalar == null) {
      return false;
    }
    if (!scalar.text().equals("true") && !scalar.text().equals("false")) {
      problemCollector.error(
          scalar.sourceLocation(),
          "'" + field + "' must be true or false, but is " + Excerpt.quoted(scalar.text()));
    }
    return scalar.text().equals("true");
  }

  /** The choice in a field, or {@code otherwise}. */
  public <E extends Enum<E>> E choice(
      YamlFields yamlFields, String field, E[] choices, E otherwise) {
    Scalar scalar = yamlFields.scalar(field);
    if (scalar == null) {
      return otherwise;
    }
    List<String> words = new ArrayList<>();
    for (E choice : choices) {
      if (choice.toString().equals(scalar.text())) {
        return choice;
      }
      words.add(choice.toString());
    }
    problemCollector.error(
        scalar.sourceLocation(),
        "unknown %s %s%s"
            .formatted(field, Excerpt.quoted(scalar.text()), guessOrList(scalar.text(), words)));
    return otherwise;
  }

  /** The end of a message about an unknown word: the nearest known word, or all of them. */
  public static String guessOrList(String word, Collection<String> words) {
    String meant = MEANT.get(word.toLowerCase(Locale.ROOT).replace('_', '-'));
    String guess =
        meant != null && words.contains(meant)
            ? DidYouMean.anyOf(List.of(meant))
            : DidYouMean.of(word, words);
    return guess.isEmpty() ? "; write one of " + String.join(", ", words) : guess;
  }

  /** Names of attributes, one or a list, without duplicates; empty, and an error, if invalid. */
  public List<String> names(String field, YamlNode yamlNode) {
    if (yamlNode instanceof Scalar) {
      String name = name(field, yamlNode);
      return name == null ? List.of() : List.of(name);
    }
    if (!(yamlNode instanceof Sequence list) || list.items().isEmpty()) {
      problemCollector.error(
          yamlNode.sourceLocation(),
          "'"
              + field
              + "' must be an attribute or a list of them, but is "
              + (yamlNode instanceof Sequence ? "an empty list" : yamlNode.inWords()));
      return List.of();
    }
    Set<String> names = new LinkedHashSet<>();
    for (YamlNode item : list.items()) {
      String name = name(field, item);
      if (name != null && !names.add(name)) {
        problemCollector.error(item.sourceLocation(), Excerpt.quoted(name) + " occurs twice");
      }
    }
    return List.copyOf(names);
  }

  /** The name of an attribute; null, and an error, if invalid. */
  @Nullable
  public String name(String field, YamlNode yamlNode) {
    if (yamlNode instanceof Scalar scalar && !scalar.isNull() && !scalar.text().isBlank()) {
      return scalar.text();
    }
    problemCollector.error(
        yamlNode.sourceLocation(),
        "'" + field + "' must name an attribute, but is " + yamlNode.inWords());
    return null;
  }

  /** The items of a list, each read by {@code read}; items with errors are left out. */
  public <T> List<T> list(String field, YamlNode yamlNode, Function<YamlNode, @Nullable T> read) {
    if (!(yamlNode instanceof Sequence list)) {
      problemCollector.error(
          yamlNode.sourceLocation(),
          "'" + field + "' must be a list, but is " + yamlNode.inWords());
      return List.of();
    }
    List<T> all = new ArrayList<>();
    for (YamlNode item : list.items()) {
      T one = read.apply(item);
      if (one != null) {
        all.add(one);
      }
    }
    return all;
  }
}
