package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What IDEs complete, and what the documentation says. */
class PropertiesTest {
  private static final Pattern PROPERTY =
      Pattern.compile("\\{[^{}]*\"name\": \"(weir\\.[a-z.-]+)\",\\s*\"type\"[^{}]*\\}");

  @Test
  void theTableInTheDocumentationHasAllProperties() throws IOException {
    Map<String, String> documented = new TreeMap<>();
    Matcher row =
        Pattern.compile("(?m)^\\| `(weir\\.[a-z.-]+)` \\| (?:`([^`]*)`)? ?\\|")
            .matcher(Files.readString(Path.of("../docs/reference/spring.md")));
    while (row.find()) {
      documented.put(row.group(1), row.group(2) == null ? "" : row.group(2));
    }
    Map<String, String> known = new TreeMap<>();
    Matcher property = PROPERTY.matcher(properties());
    while (property.find()) {
      assertThat(property.group()).as("IDEs show a description").contains("\"description\": \"");
      known.put(property.group(1), defaultValue(property.group()));
    }
    assertThat(known).isEqualTo(documented);
  }

  /** Groups have names and types too, and come before. */
  private static String properties() throws IOException {
    String all = metadata();
    return all.substring(all.indexOf("\"properties\": ["));
  }

  private static String metadata() throws IOException {
    try (InputStream in =
        PropertiesTest.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
      assertThat(in).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace("\\/", "/");
    }
  }

  private static String defaultValue(String property) {
    Matcher value =
        Pattern.compile("\"defaultValue\": (\\[[^\\]]*\\]|\"[^\"]*\"|[^\\s,}]+)").matcher(property);
    return value.find() ? value.group(1).replaceAll("[\\[\\]\"\\s]", "") : "";
  }

  @Test
  void valuesAreProposed() throws IOException {
    assertThat(metadata()).contains("redis://localhost:6379", "classpath:rules.yaml");
  }
}
