package io.weir.rules.file;

import io.weir.rules.SourceLocation;
import io.weir.rules.envoy.RateUnit;
import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.ProblemCollector;
import io.weir.rules.yaml.YamlFields;
import io.weir.rules.yaml.YamlNode;
import io.weir.rules.yaml.YamlNode.Entry;
import io.weir.rules.yaml.YamlNode.Mapping;
import io.weir.rules.yaml.YamlNode.Scalar;
import io.weir.rules.yaml.YamlNode.Sequence;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A map in a file of the Envoy form. A null field counts as absent. An invalid field is reported at
 * once and then counts as absent.
 */
final class EnvoyFields {
  private static final Pattern WHOLE = Pattern.compile("[-+]?[0-9][0-9_]*");
  private static final Pattern FRACTION =
      Pattern.compile(
          "[-+]?([0-9][0-9_]*\\.[0-9_]*|\\.[0-9_]+|[0-9][0-9_]*(?=[eE]))([eE][-+]?[0-9]+)?"
              + "|[-+]?\\.(inf|Inf|INF)|\\.(nan|NaN|NAN)");
  // The booleans of YAML 1.1, which envoyproxy/ratelimit reads.
  private static final Set<String> TRUE =
      Set.of("true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y");
  private static final Set<String> FALSE =
      Set.of("false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N");

  private final Mapping mapping;
  private final ProblemCollector problemCollector;

  private EnvoyFields(Mapping mapping, ProblemCollector problemCollector) {
    this.mapping = mapping;
    this.problemCollector = problemCollector;
  }

  /** The fields of {@code mapping}; unknown keys are errors. */
  static EnvoyFields of(Mapping mapping, EnvoyLevel level, ProblemCollector problemCollector) {
    for (Entry entry : mapping.entries()) {
      Scalar key = entry.key();
      if (level.has(key.text())) {
        continue;
      }
      if (!isText(key)) {
        problemCollector.error(
            key.sourceLocation(),
            "config error, key is not of type string: " + Excerpt.of(key.text()));
      } else {
        problemCollector.error(key.sourceLocation(), level.refusal(key.text()));
      }
    }
    return new EnvoyFields(mapping, problemCollector);
  }

  private static boolean isText(Scalar key) {
    return !key.isNull()
        && !(key.isPlain()
            && (isNumber(key.text()) || TRUE.contains(key.text()) || FALSE.contains(key.text())));
  }

  private static boolean isFraction(Scalar scalar) {
    return scalar.isPlain() && FRACTION.matcher(scalar.text()).matches();
  }

  private static boolean isNumber(String text) {
    return WHOLE.matcher(text).matches() || FRACTION.matcher(text).matches();
  }

  /** Where the map starts. */
  SourceLocation sourceLocation() {
    return mapping.sourceLocation();
  }

  boolean has(String field) {
    return value(field) != null;
  }

  /** Whether a field is absent or an empty text. */
  boolean isBlank(String field) {
    YamlNode value = value(field);
    return value == null || (value instanceof Scalar scalar && scalar.text().isEmpty());
  }

  /** Reports an error at the value of a field, or at the map if the field is absent. */
  void error(String field, String message) {
    problemCollector.error(place(field), message);
  }

  /** Where the value of a field starts, or the map if the field is absent. */
  SourceLocation place(String field) {
    Entry entry = mapping.entry(field);
    return entry == null ? sourceLocation() : entry.value().sourceLocation();
  }

  /** The same fields for readers of Weir's own form. */
  YamlFields known() {
    return YamlFields.ofKnown(mapping, problemCollector);
  }

  /** The value of a field; null if it is absent. */
  @Nullable YamlNode value(String field) {
    Entry entry = mapping.entry(field);
    return entry == null || (entry.value() instanceof Scalar scalar && scalar.isNull())
        ? null
        : entry.value();
  }

  private @Nullable Scalar scalar(String field, String kind) {
    YamlNode value = value(field);
    if (value == null || value instanceof Scalar) {
      return (Scalar) value;
    }
    if (value instanceof Sequence list) {
      maps(list);
    }
    error(
        field,
        "error loading config file: '"
            + field
            + "' must be "
            + kind
            + ", but is "
            + value.inWords());
    return null;
  }

  /** A text, as written; empty if absent. */
  String text(String field) {
    Scalar scalar = scalar(field, "a text");
    if (scalar == null) {
      return "";
    }
    if (isFraction(scalar)) {
      error(
          field,
          "error checking config; '"
              + (field + "' is the number " + Excerpt.of(scalar.text()))
              + ": to mean the text, quote it");
      return "";
    }
    return scalar.text();
  }

  /** A boolean; false if absent. */
  boolean flag(String field) {
    Scalar scalar = scalar(field, "true or false");
    if (scalar == null || (scalar.isPlain() && FALSE.contains(scalar.text()))) {
      return false;
    }
    if (scalar.isPlain() && TRUE.contains(scalar.text())) {
      return true;
    }
    error(
        field,
        "error loading config file: '"
            + (field + "' must be true or false, but is ")
            + scalar.inWords());
    return false;
  }

  /** A whole number from 0 to 2³² − 1; empty if absent. */
  Optional<Long> number(String field) {
    Scalar scalar = scalar(field, "a whole number");
    if (scalar == null) {
      return Optional.empty();
    }
    String text = scalar.text();
    if (scalar.isPlain() && WHOLE.matcher(text).matches()) {
      BigInteger number = new BigInteger(text.replace("_", ""));
      if (number.signum() >= 0 && number.bitLength() <= 32 && !isOctal(text)) {
        return Optional.of(number.longValue());
      }
    }
    error(
        field,
        (isFraction(scalar) ? "error checking config; '" : "error loading config file: '")
            + (field + "' must be a whole number from 0 to " + RateUnit.MAX_REQUESTS)
            + (", but is " + scalar.inWords()));
    return Optional.empty();
  }

  /** Whether YAML 1.1 and 1.2 read it as different numbers. */
  private static boolean isOctal(String text) {
    return text.length() > 1 && text.charAt(0) == '0';
  }

  /** The maps in a list; none if the list is absent. */
  List<Mapping> maps(String field) {
    YamlNode value = value(field);
    if (value == null) {
      return List.of();
    }
    if (value instanceof Sequence list) {
      return maps(list);
    }
    error(
        field,
        "error loading config file: '" + field + "' must be a list, but is " + value.inWords());
    return List.of();
  }

  /** The items of a list, all of which must be maps. */
  List<Mapping> maps(Sequence list) {
    List<Mapping> maps = new ArrayList<>(list.items().size());
    for (YamlNode item : list.items()) {
      if (item instanceof Mapping map) {
        maps.add(map);
      } else {
        String text = item instanceof Scalar scalar ? Excerpt.of(scalar.text()) : item.inWords();
        problemCollector.error(
            item.sourceLocation(),
            "config error, yaml file contains list of type other than map: " + text);
      }
    }
    return maps;
  }
}
