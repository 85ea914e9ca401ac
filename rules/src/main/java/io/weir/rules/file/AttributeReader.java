package io.weir.rules.file;

import io.weir.rules.AttributeSource;
import io.weir.rules.AttributeSource.Field.Kind;
import io.weir.rules.file.Node.Entry;
import io.weir.rules.file.Node.Mapping;
import io.weir.rules.file.Node.Scalar;
import io.weir.rules.text.Excerpt;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads {@code attributes}: the sources of attributes in a request. */
final class AttributeReader {
  /** The fields for the source of an attribute, which has exactly one. */
  static final List<String> SOURCES = List.of("header", "cookie", "query", "lookup", "first_of");

  /** The fields of an attribute. */
  static final List<String> FIELDS =
      List.of("header", "cookie", "query", "lookup", "in", "map", "default", "first_of");

  /** The only setting for the attribute {@code path}: whether case matters. */
  static final String CASE = "case";

  /** Attributes that every front end sets; no file can redefine them. */
  static final Set<String> GIVEN = Set.of("ip", "method", "path", "host");

  private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

  private final Problems problems;
  private final Values values;
  private final Lookups lookups;

  AttributeReader(Problems problems, Lookups lookups) {
    this.problems = problems;
    this.values = new Values(problems);
    this.lookups = lookups;
  }

  /** Adds the attributes of a file to its domain. */
  void read(Node node, DomainDraft domain) {
    if (!(node instanceof Mapping mapping)) {
      problems.error(
          node.place(), "'attributes' must be a map of names to sources, but is " + node.inWords());
      return;
    }
    for (Entry entry : mapping.entries()) {
      String name = entry.key().text();
      if (name.isBlank()) {
        problems.error(entry.key().place(), "an attribute must have a name");
      } else if (name.equals("path")
          && entry.value() instanceof Mapping path
          && path.entry(CASE) != null) {
        path(path, domain, entry);
      } else if (GIVEN.contains(name)) {
        problems.error(
            entry.key().place(),
            "'"
                + name
                + "' is given with every request and cannot be redefined; choose another name");
      } else {
        AttributeSource source = source(name, entry.value());
        if (source != null) {
          domain.attribute(name, source, entry.key().place());
        }
      }
    }
  }

  private void path(Mapping node, DomainDraft domain, Entry entry) {
    Fields fields = Fields.of(node, "the attribute 'path'", List.of(CASE), problems);
    Scalar value = fields == null ? null : fields.scalar(CASE);
    if (value != null && value.text().equals("ignore")) {
      domain.attribute("path", new AttributeSource.LowerCasePath(), entry.key().place());
    } else if (value != null) {
      problems.error(
          value.place(),
          "'case' of the path must be 'ignore', but is "
              + Excerpt.quoted(value.text())
              + "; leave it out if case matters");
    }
  }

  private @Nullable AttributeSource source(String name, Node node) {
    Fields fields = Fields.of(node, "an attribute", FIELDS, problems);
    if (fields == null) {
      return null;
    }
    List<String> given = SOURCES.stream().filter(field -> fields.get(field) != null).toList();
    if (given.size() != 1) {
      problems.error(
          fields.place(),
          "an attribute has exactly one of "
              + String.join(", ", SOURCES)
              + (given.isEmpty() ? "" : "; this one has " + String.join(" and ", given)));
      return null;
    }
    String kind = given.get(0);
    if (!kind.equals("lookup")) {
      refuseOutsideLookup(fields);
    }
    return switch (kind) {
      case "header" -> field(Kind.HEADER, fields, kind);
      case "cookie" -> field(Kind.COOKIE, fields, kind);
      case "query" -> field(Kind.QUERY, fields, kind);
      case "lookup" -> lookup(name, fields);
      default -> firstOf(fields);
    };
  }

  private void refuseOutsideLookup(Fields fields) {
    for (String field : List.of("in", "map", "default")) {
      var key = fields.keyOf(field);
      if (key != null) {
        problems.error(key, "'" + field + "' is for 'lookup' only");
      }
    }
  }

  private @Nullable AttributeSource field(Kind kind, Fields fields, String field) {
    Scalar name = fields.scalar(field);
    if (name == null) {
      return null;
    }
    if (name.text().isEmpty() || (kind != Kind.QUERY && !TOKEN.matcher(name.text()).matches())) {
      problems.error(
          name.place(),
          Excerpt.quoted(name.text())
              + " cannot be the name of a "
              + (kind == Kind.QUERY ? "query parameter" : field)
              + (kind == Kind.QUERY ? "" : "; a name has letters, digits and !#$%&'*+-.^_`|~"));
      return null;
    }
    return new AttributeSource.Field(kind, name.text());
  }

  private @Nullable AttributeSource firstOf(Fields fields) {
    Node node = fields.get("first_of");
    if (!(node instanceof Node.Sequence)) {
      problems.error(
          node == null ? fields.place() : node.place(),
          "'first_of' must be a list of attributes, but is "
              + (node == null ? "nothing" : node.inWords()));
      return null;
    }
    List<String> names = values.names("first_of", node);
    return names.isEmpty() ? null : new AttributeSource.FirstOf(names);
  }

  private @Nullable AttributeSource lookup(String name, Fields fields) {
    Node lookup = fields.get("lookup");
    String attribute = lookup == null ? null : values.name("lookup", lookup);
    Node in = fields.get("in");
    Node map = fields.get("map");
    if ((in == null) == (map == null)) {
      problems.error(
          fields.place(),
          "a lookup has exactly one of 'in', a CSV file, and 'map'"
              + (in == null ? "" : "; this one has both"));
      return null;
    }
    Scalar otherwise = fields.scalar("default");
    if (otherwise != null && otherwise.text().isEmpty()) {
      problems.error(otherwise.place(), "an empty default is no value; leave it out");
    }
    Map<String, String> table = map == null ? csv(name, attribute, fields) : inline(map);
    return attribute == null || table == null
        ? null
        : new AttributeSource.Lookup(
            attribute, table, Optional.ofNullable(otherwise).map(Scalar::text));
  }

  private @Nullable Map<String, String> csv(
      String name, @Nullable String attribute, Fields fields) {
    Scalar file = fields.scalar("in");
    return file == null
        ? null
        : lookups.table(file, List.of(attribute == null ? "" : attribute, name));
  }

  private @Nullable Map<String, String> inline(Node node) {
    if (!(node instanceof Mapping mapping)) {
      problems.error(node.place(), "'map' must be a map of texts, but is " + node.inWords());
      return null;
    }
    Map<String, String> table = new LinkedHashMap<>();
    for (Entry entry : mapping.entries()) {
      if (entry.value() instanceof Scalar value && !value.isNull() && !value.text().isEmpty()) {
        table.put(entry.key().text(), value.text());
      } else {
        problems.error(
            entry.value().place(),
            "the value for "
                + Excerpt.quoted(entry.key().text())
                + " must be a text, but is "
                + entry.value().inWords());
      }
    }
    return table;
  }
}
