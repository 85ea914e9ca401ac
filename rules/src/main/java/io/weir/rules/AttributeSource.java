package io.weir.rules;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The source of an attribute's value. */
public sealed interface AttributeSource {
  /** The attributes that it is derived from. */
  List<String> attributes();

  /** A field of an HTTP request, by its name. */
  record Field(Kind kind, String name) implements AttributeSource {
    /** The kinds of fields. */
    public enum Kind {
      /** A header, whatever the case of its name. */
      HEADER,
      /** A cookie. */
      COOKIE,
      /** A parameter of the query. */
      QUERY
    }

    @Override
    public List<String> attributes() {
      return List.of();
    }
  }

  /**
   * The path of the request in lower case, for servers that ignore the case of paths. It is the
   * only source that the attribute {@code path} can have.
   */
  record LowerCasePath() implements AttributeSource {
    @Override
    public List<String> attributes() {
      return List.of();
    }
  }

  /** The value of another attribute looked up in a table. */
  record Lookup(String attribute, Map<String, String> table, Optional<String> otherwise)
      implements AttributeSource {
    /** Copies the table. */
    public Lookup {
      table = Map.copyOf(table);
    }

    @Override
    public List<String> attributes() {
      return List.of(attribute);
    }
  }

  /** The first of several attributes that the request has. */
  record FirstOf(List<String> attributes) implements AttributeSource {
    /** Copies the list. */
    public FirstOf {
      attributes = List.copyOf(attributes);
    }
  }
}
