package io.weir.cli;

import io.weir.rules.AttributeSource;
import io.weir.rules.AttributeSource.Field;
import io.weir.rules.AttributeSource.FirstOf;
import io.weir.rules.AttributeSource.Lookup;
import io.weir.rules.Explanation.Attribute;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Describes where the value of an attribute comes from, or why there is none. */
final class AttributeSourceText {
  private static final List<String> OF_HTTP = List.of("ip", "method", "path", "host");

  private AttributeSourceText() {}

  /**
   * The description in a few words; may be empty.
   *
   * @param values the values of all attributes of the request
   */
  static String of(Attribute attribute, Map<String, String> values) {
    boolean isPresent = attribute.value().isPresent();
    if (attribute.source().isEmpty()) {
      return isPresent || OF_HTTP.contains(attribute.name())
          ? ""
          : "absent: declared nowhere under 'attributes', so no HTTP request has it";
    }
    AttributeSource source = attribute.source().get();
    if (source instanceof Field field) {
      String place =
          (field.kind() == Field.Kind.QUERY ? "query parameter" : lower(field.kind()))
              + (" " + field.name());
      return isPresent ? "from " + place : "absent: no " + place;
    }
    return source instanceof Lookup lookup
        ? lookup(lookup, isPresent, values)
        : firstOf((FirstOf) source, values);
  }

  private static String lower(Field.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  private static String lookup(Lookup lookup, boolean isPresent, Map<String, String> values) {
    String key = values.get(lookup.attribute());
    if (key != null && lookup.table().containsKey(key)) {
      return "looked up by " + lookup.attribute() + " " + key;
    }
    String reason =
        key == null
            ? "the request has no " + lookup.attribute()
            : lookup.attribute() + " " + key + " is not in the table";
    return (isPresent ? "the default: " : "absent: ") + reason;
  }

  private static String firstOf(FirstOf first, Map<String, String> values) {
    String all = String.join(", ", first.attributes());
    return first.attributes().stream()
        .filter(values::containsKey)
        .findFirst()
        .map(name -> "the first of " + all + ", here " + name)
        .orElse("absent: the request has none of " + all);
  }
}
