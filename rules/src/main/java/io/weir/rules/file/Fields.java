package io.weir.rules.file;

import io.weir.rules.Place;
import io.weir.rules.file.Node.Entry;
import io.weir.rules.file.Node.Mapping;
import io.weir.rules.file.Node.Scalar;
import io.weir.rules.text.Excerpt;
import io.weir.text.DidYouMean;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** A map with known keys. Errors are reported at once. */
final class Fields {
  private final Mapping mapping;
  private final Problems problems;

  private Fields(Mapping mapping, Problems problems) {
    this.mapping = mapping;
    this.problems = problems;
  }

  /**
   * The fields of {@code node}; null, and an error, if it is not a map. A key that is not in {@code
   * known} is an error.
   *
   * @param what the owner of the fields, for messages: {@code a rule}
   */
  static @Nullable Fields of(Node node, String what, Collection<String> known, Problems problems) {
    if (!(node instanceof Mapping mapping)) {
      problems.error(node.place(), what + " must be a map of fields, but is " + node.inWords());
      return null;
    }
    for (Entry entry : mapping.entries()) {
      String key = entry.key().text();
      if (!known.contains(key)) {
        problems.error(
            entry.key().place(),
            "unknown field " + Excerpt.quoted(key) + " of " + what + DidYouMean.of(key, known));
      }
    }
    return new Fields(mapping, problems);
  }

  /** The fields of a map with keys that were checked before. */
  static Fields ofKnown(Mapping mapping, Problems problems) {
    return new Fields(mapping, problems);
  }

  Place place() {
    return mapping.place();
  }

  /** The value of a field; null if absent. */
  @Nullable Node get(String field) {
    Entry entry = mapping.entry(field);
    return entry == null ? null : entry.value();
  }

  /** The place of the field's key; null if absent. */
  @Nullable Place keyOf(String field) {
    Entry entry = mapping.entry(field);
    return entry == null ? null : entry.key().place();
  }

  /** The scalar value of a field; null if absent. Reports an error if it is not a scalar. */
  @Nullable Scalar scalar(String field) {
    Node value = get(field);
    if (value == null) {
      return null;
    }
    if (value instanceof Scalar scalar && !scalar.isNull()) {
      return scalar;
    }
    problems.error(
        value.place(), "'" + field + "' must be a single value, but is " + value.inWords());
    return null;
  }
}
