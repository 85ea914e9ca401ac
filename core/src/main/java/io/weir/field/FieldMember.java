package io.weir.field;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A member of a list or dictionary, with its parameters in order. Immutable. */
public sealed interface FieldMember {
  /** The parameters in order; of parameters with the same key, the last value. */
  Map<String, BareItem> parameters();

  /** The member as the canonical text of RFC 9651, section 4.1. */
  String text();

  /** A value with parameters. */
  record Item(BareItem value, Map<String, BareItem> parameters) implements FieldMember {
    /** Copies the parameters. */
    public Item {
      parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
    }

    @Override
    public String text() {
      return value.text() + parametersText(parameters);
    }
  }

  /** A list in parentheses, with parameters of its own. */
  record InnerList(List<Item> items, Map<String, BareItem> parameters) implements FieldMember {
    /** Copies both. */
    public InnerList {
      items = List.copyOf(items);
      parameters = Collections.unmodifiableMap(new LinkedHashMap<>(parameters));
    }

    @Override
    public String text() {
      return items.stream().map(Item::text).collect(Collectors.joining(" ", "(", ")"))
          + parametersText(parameters);
    }
  }

  private static String parametersText(Map<String, BareItem> parameters) {
    StringBuilder text = new StringBuilder();
    parameters.forEach(
        (key, value) -> {
          text.append(';').append(key);
          if (!value.equals(StructuredFieldReader.TRUE)) {
            text.append('=').append(value.text());
          }
        });
    return text.toString();
  }
}
