package io.weir.spring.diagnostics;

import io.weir.spring.WeirProperties;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The names of all properties. */
final class PropertyNames {
  /** As written in files. */
  static final List<String> ALL = new ArrayList<>();

  private static final List<String> PREFIXES = new ArrayList<>(); // with user-chosen names

  static {
    add("weir", WeirProperties.class);
  }

  private PropertyNames() {}

  private static void add(String prefix, Class<?> type) {
    for (RecordComponent each : type.getRecordComponents()) {
      String name = prefix + "." + dashed(each.getName());
      if (each.getType().isRecord()) {
        add(name, each.getType());
      } else {
        ALL.add(name);
        if (each.getType() == Map.class) {
          PREFIXES.add(name + ".");
        }
      }
    }
  }

  private static String dashed(String name) {
    return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  /** Whether a property is one of them, in any spelling that Spring Boot accepts. */
  static boolean has(String property) {
    String plain = plain(property);
    return ALL.stream().anyMatch(each -> plain(each).equals(plain))
        || PREFIXES.stream().anyMatch(property::startsWith);
  }

  /** Removes optional characters and the index of an item. */
  private static String plain(String name) {
    return name.replaceAll("\\[\\d+]$", "").replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
  }

  /** As written in the environment. */
  static List<String> ofEnvironment() {
    return ALL.stream()
        .map(name -> name.replace("-", "").replace('.', '_').toUpperCase(Locale.ROOT))
        .toList();
  }
}
