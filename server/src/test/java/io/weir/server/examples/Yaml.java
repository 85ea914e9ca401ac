package io.weir.server.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** A document of a YAML file, and ways into it. */
record Yaml(Object value) {
  /** The documents of a file of {@code examples/}. */
  static List<Yaml> all(String example) {
    Load load = new Load(LoadSettings.builder().setLabel(example).build());
    List<Yaml> documents = new ArrayList<>();
    load.loadAllFromString(Example.text(example)).forEach(each -> documents.add(new Yaml(each)));
    return documents;
  }

  /** The only document of a file. */
  static Yaml of(String example) {
    List<Yaml> all = all(example);
    if (all.size() != 1) {
      throw new AssertionError(example + " has " + all.size() + " documents");
    }
    return all.get(0);
  }

  /** The document of a kind, of a file of Kubernetes. */
  static Yaml of(String example, String kind) {
    return all(example).stream()
        .filter(each -> each.at("kind").text().equals(kind))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + kind + " in " + example));
  }

  /** What is at the end of a path of names. */
  Yaml at(String... names) {
    Object at = value;
    for (String name : names) {
      if (!(at instanceof Map<?, ?> map) || !map.containsKey(name)) {
        throw new AssertionError("no " + name + " in " + at);
      }
      at = map.get(name);
    }
    return new Yaml(at);
  }

  boolean has(String name) {
    return value instanceof Map<?, ?> map && map.containsKey(name);
  }

  /** The items of a list. */
  List<Yaml> items() {
    return ((List<?>) value).stream().map(item -> new Yaml(item)).toList();
  }

  /** The items of the list {@code name}; none if it is not there. */
  List<Yaml> items(String name) {
    return has(name) ? at(name).items() : List.of();
  }

  /** The item of a list with this {@code name}. */
  Yaml named(String name) {
    return items().stream()
        .filter(each -> each.has("name") && each.at("name").text().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("nothing is called " + name + " in " + value));
  }

  String text() {
    return (String) value;
  }

  int number() {
    return (Integer) value;
  }
}
