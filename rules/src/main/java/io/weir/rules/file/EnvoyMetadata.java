package io.weir.rules.file;

import io.weir.rules.yaml.YamlNode;
import io.weir.rules.yaml.YamlNode.Entry;
import io.weir.rules.yaml.YamlNode.Mapping;
import io.weir.rules.yaml.YamlNode.Scalar;
import io.weir.rules.yaml.YamlNode.Sequence;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the metadata of a descriptor: any map with texts as keys. */
final class EnvoyMetadata {
  private static final Pattern NUMBER =
      Pattern.compile("[-+]?(0|[1-9][0-9]*|[0-9]*\\.[0-9]+|[0-9]+\\.)([eE][-+]?[0-9]{1,3})?");

  private EnvoyMetadata() {}

  static Map<String, @Nullable Object> read(EnvoyFields descriptor) {
    YamlNode value = descriptor.value("metadata");
    if (value == null) {
      return Map.of();
    }
    if (value instanceof Mapping map) {
      return map(map);
    }
    descriptor.error(
        "metadata", "error parsing metadata: it must be a map, but is " + value.inWords());
    return Map.of();
  }

  private static Map<String, @Nullable Object> map(Mapping mapping) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    for (Entry entry : mapping.entries()) {
      map.put(entry.key().text(), any(entry.value()));
    }
    return Collections.unmodifiableMap(map);
  }

  private static @Nullable Object any(YamlNode yamlNode) {
    if (yamlNode instanceof Mapping mapping) {
      return map(mapping);
    }
    if (yamlNode instanceof Sequence list) {
      List<@Nullable Object> items = new ArrayList<>();
      list.items().forEach(item -> items.add(any(item)));
      return Collections.unmodifiableList(items);
    }
    Scalar scalar = (Scalar) yamlNode;
    return scalar.isPlain() ? plain(scalar) : scalar.text();
  }

  /** The value of an unquoted scalar. */
  private static @Nullable Object plain(Scalar scalar) {
    String text = scalar.text();
    if (scalar.isNull()) {
      return null;
    }
    if (text.equals("true") || text.equals("false")) {
      return text.equals("true");
    }
    // A double, because protobuf's Struct stores it as one.
    return NUMBER.matcher(text).matches() ? (Object) new BigDecimal(text).doubleValue() : text;
  }
}
