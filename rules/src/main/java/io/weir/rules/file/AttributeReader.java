package io.weir.rules.file;

import io.weir.rules.AttributeSource;
import io.weir.rules.AttributeSource.Field.Kind;
import io.weir.rules.text.Excerpt;
import io.weir.rules.yaml.ProblemCollector;
import io.weir.rules.yaml.ScalarReader;
import io.weir.rules.yaml.YamlFields;
import io.weir.rules.yaml.YamlNode;
import io.weir.rules.yaml.YamlNode.Entry;
import io.weir.rules.yaml.YamlNode.Mapping;
import io.weir.rules.yaml.YamlNode.Scalar;
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

  private final ProblemCollector problemCollector;
  private final ScalarReader scalarReader;
  private final Lookups lookups;

  AttributeReader(ProblemCollector problemCollector, Lookups lookups) {
    this.problemCollector = problemCollector;
    this.scalarReader = new ScalarReader(problemCollector);
    this.lookups = lookups;
  }

  /** Adds the attributes of a file to its domain. */
  void read(YamlNode yamlNode, DomainDraft domain) {
    if (!(yamlNode instanceof Mapping mapping)) {
      problemCollector.error(
          yamlNode.sourceLocation(),
          "'attributes' must be a map of names to sources, but is " + yamlNode.inWords());
      return;
    }
    for (Entry entry : mapping.entries()) {
      String name = entry.key().text();
      if (name.isBlank()) {
        problemCollector.error(entry.key().sourceLocation(), "an attribute must have a name");
      } else if (name.equals("path")
          && entry.value() instanceof Mapping path
          && path.entry(CASE) != null) {
        path(path, domain, entry);
      } else if (GIVEN.contains(name)) {
        problemCollector.error(
            entry.key().sourceLocation(),
            "'"
                + name
                + "' is given with every request and cannot be redefined; choose another name");
      } else {
        AttributeSource source = source(name, entry.value());
        if (source != null) {
          domain.attribute(name, source, entry.key().sourceLocation());
        }
      }
    }
  }

  private void path(Mapping node, DomainDraft domain, Entry entry) {
    YamlFields yamlFields =
        YamlFields.of(node, "the attribute 'path'", List.of(CASE), problemCollector);
    Scalar value = yamlFields == null ? null : yamlFields.scalar(CASE);
    if (value != null && value.text().equals("ignore")) {
      domain.attribute("path", new AttributeSource.LowerCasePath(), entry.key().sourceLocation());
    } else if (value != null) {
      problemCollector.error(
          value.sourceLocation(),
          "'case' of the path must be 'ignore', but is "
              + Excerpt.quoted(value.text())
              + "; leave it out if case matters");
    }
  }

  private @Nullable AttributeSource source(String name, YamlNode yamlNode) {
    YamlFields yamlFields = YamlFields.of(yamlNode, "an attribute", FIELDS, problemCollector);
    if (yamlFields == null) {
      return null;
    }
    List<String> given = SOURCES.stream().filter(field -> yamlFields.get(field) != null).toList();
    if (given.size() != 1) {
      problemCollector.error(
          yamlFields.sourceLocation(),
          "an attribute has exactly one of "
              + String.join(", ", SOURCES)
              + (given.isEmpty() ? "" : "; this one has " + String.join(" and ", given)));
      return null;
    }
    String kind = given.get(0);
    if (!kind.equals("lookup")) {
      refuseOutsideLookup(yamlFields);
    }
    return switch (kind) {
      case "header" -> field(Kind.HEADER, yamlFields, kind);
      case "cookie" -> field(Kind.COOKIE, yamlFields, kind);
      case "query" -> field(Kind.QUERY, yamlFields, kind);
      case "lookup" -> lookup(name, yamlFields);
      default -> firstOf(yamlFields);
    };
  }

  private void refuseOutsideLookup(YamlFields yamlFields) {
    for (String field : List.of("in", "map", "default")) {
      var key = yamlFields.keyOf(field);
      if (key != null) {
        problemCollector.error(key, "'" + field + "' is for 'lookup' only");
      }
    }
  }

  private @Nullable AttributeSource field(Kind kind, YamlFields yamlFields, String field) {
    Scalar name = yamlFields.scalar(field);
    if (name == null) {
      return null;
    }
    if (name.text().isEmpty() || (kind != Kind.QUERY && !TOKEN.matcher(name.text()).matches())) {
      problemCollector.error(
          name.sourceLocation(),
          Excerpt.quoted(name.text())
              + " cannot be the name of a "
              + (kind == Kind.QUERY ? "query parameter" : field)
              + (kind == Kind.QUERY ? "" : "; a name has letters, digits and !#$%&'*+-.^_`|~"));
      return null;
    }
    return new AttributeSource.Field(kind, name.text());
  }

  private @Nullable AttributeSource firstOf(YamlFields yamlFields) {
    YamlNode yamlNode = yamlFields.get("first_of");
    if (!(yamlNode instanceof YamlNode.Sequence)) {
      problemCollector.error(
          yamlNode == null ? yamlFields.sourceLocation() : yamlNode.sourceLocation(),
          "'first_of' must be a list of attributes, but is "
              + (yamlNode == null ? "nothing" : yamlNode.inWords()));
      return null;
    }
    List<String> names = scalarReader.names("first_of", yamlNode);
    return names.isEmpty() ? null : new AttributeSource.FirstOf(names);
  }

  private @Nullable AttributeSource lookup(String name, YamlFields yamlFields) {
    YamlNode lookup = yamlFields.get("lookup");
    String attribute = lookup == null ? null : scalarReader.name("lookup", lookup);
    YamlNode in = yamlFields.get("in");
    YamlNode map = yamlFields.get("map");
    if ((in == null) == (map == null)) {
      problemCollector.error(
          yamlFields.sourceLocation(),
          "a lookup has exactly one of 'in', a CSV file, and 'map'"
              + (in == null ? "" : "; this one has both"));
      return null;
    }
    Scalar otherwise = yamlFields.scalar("default");
    if (otherwise != null && otherwise.text().isEmpty()) {
      problemCollector.error(
          otherwise.sourceLocation(), "an empty default is no value; leave it out");
    }
    Map<String, String> table = map == null ? csv(name, attribute, yamlFields) : inline(map);
    return attribute == null || table == null
        ? null
        : new AttributeSource.Lookup(
            attribute, table, Optional.ofNullable(otherwise).map(Scalar::text));
  }

  private @Nullable Map<String, String> csv(
      String name, @Nullable String attribute, YamlFields yamlFields) {
    Scalar file = yamlFields.scalar("in");
    return file == null
        ? null
        : lookups.table(file, List.of(attribute == null ? "" : attribute, name));
  }

  private @Nullable Map<String, String> inline(YamlNode yamlNode) {
    if (!(yamlNode instanceof Mapping mapping)) {
      problemCollector.error(
          yamlNode.sourceLocation(), "'map' must be a map of texts, but is " + yamlNode.inWords());
      return null;
    }
    Map<String, String> table = new LinkedHashMap<>();
    for (Entry entry : mapping.entries()) {
      if (entry.value() instanceof Scalar value && !value.isNull() && !value.text().isEmpty()) {
        table.put(entry.key().text(), value.text());
      } else {
        problemCollector.error(
            entry.value().sourceLocation(),
            "the value for "
                + Excerpt.quoted(entry.key().text())
                + " must be a text, but is "
                + entry.value().inWords());
      }
    }
    return table;
  }
}
