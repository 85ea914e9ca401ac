package io.weir.rules.yaml;

import io.weir.rules.SourceLocation;
import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.YamlNode.Entry;
import io.weir.rules.yaml.YamlNode.Mapping;
import io.weir.rules.yaml.YamlNode.Scalar;
import io.weir.text.DidYouMean;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** A map with known keys. Errors are reported at once. */
public final class YamlFields {
  private final Mapping mapping;
  private final ProblemCollector problemCollector;

  private YamlFields(Mapping mapping, ProblemCollector problemCollector) {
    this.mapping = mapping;
    this.problemCollector = problemCollector;
  }

  /**
   * The fields of {@code node}; null, and an error, if it is not a map. A key that is not in {@code
   * known} is an error.
   *
   * @param what the owner of the fields, for messages: {@code a rule}
   */
  static @Nullable public YamlFields of(
      YamlNode yamlNode, String what, Collection<String> known, ProblemCollector problemCollector) {
    if (!(yamlNode instanceof Mapping mapping)) {
      problemCollector.error(
          yamlNode.sourceLocation(),
          what + " must be a map of fields, but is " + yamlNode.inWords());
      return null;
    }
    for (Entry entry : mapping.entries()) {
      String key = entry.key().text();
      if (!known.contains(key)) {
        problemCollector.error(
            entry.key().sourceLocation(),
            "unknown field " + Excerpt.quoted(key) + " of " + what + DidYouMean.of(key, known));
      }
    }
    return new YamlFields(mapping, problemCollector);
  }

  /** The fields of a map with keys that were checked before. */
  public static YamlFields ofKnown(Mapping mapping, ProblemCollector problemCollector) {
    return new YamlFields(mapping, problemCollector);
  }

  public SourceLocation sourceLocation() {
    return mapping.sourceLocation();
  }

  /** The value of a field; null if absent. */
  @Nullable
  public YamlNode get(String field) {
    Entry entry = mapping.entry(field);
    return entry == null ? null : entry.value();
  }

  /** The place of the field's key; null if absent. */
  @Nullable
  public SourceLocation keyOf(String field) {
    Entry entry = mapping.entry(field);
    return entry == null ? null : entry.key().sourceLocation();
  }

  /** The scalar value of a field; null if absent. Reports an error if it is not a scalar. */
  @Nullable
  public Scalar scalar(String field) {
    YamlNode value = get(field);
    if (value == null) {
      return null;
    }
    if (value instanceof Scalar scalar && !scalar.isNull()) {
      return scalar;
    }
    problemCollector.error(
        value.sourceLocation(),
        "'" + field + "' must be a single value, but is " + value.inWords());
    return null;
  }
}
