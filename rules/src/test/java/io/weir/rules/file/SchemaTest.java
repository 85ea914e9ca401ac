package io.weir.rules.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import io.weir.Consistency;
import io.weir.OnFailure;
import io.weir.rules.Policy;
import io.weir.rules.yaml.ProblemCollector;
import io.weir.rules.yaml.YamlNode;
import io.weir.rules.yaml.YamlTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The schema, which editors use for completion, accepts the same files as the reader. */
class SchemaTest {
  private static final Path FILE =
      ExamplesTest.EXAMPLES.resolveSibling("docs").resolve("schema/weir-rules.schema.json");
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path directory;

  private static JsonNode schema(String pointer) throws IOException {
    return JSON.readTree(FILE.toFile()).at(pointer);
  }

  private static List<String> fields(String pointer) throws IOException {
    JsonNode properties = schema(pointer + "/properties");
    assertThat(properties.isObject()).as(pointer).isTrue();
    List<String> names = new ArrayList<>();
    properties.fieldNames().forEachRemaining(names::add);
    return names;
  }

  @Test
  void hasTheFieldsOfTheReader() throws IOException {
    assertThat(fields("")).containsExactlyInAnyOrderElementsOf(NativeForm.FIELDS);
    assertThat(fields("/$defs/rule")).containsExactlyInAnyOrderElementsOf(RuleReader.FIELDS);
    assertThat(fields("/$defs/override"))
        .containsExactlyInAnyOrderElementsOf(RuleReader.OVERRIDE_FIELDS);
    assertThat(fields("/$defs/attribute"))
        .containsExactlyInAnyOrderElementsOf(AttributeReader.FIELDS);
    assertThat(fields("/$defs/limit/oneOf/1"))
        .containsExactlyInAnyOrderElementsOf(LimitReader.FIELDS);
  }

  @Test
  void hasTheValuesOfTheReader() throws IOException {
    assertThat(words("/$defs/limit/oneOf/1/properties/algorithm"))
        .containsExactlyElementsOf(AlgorithmSyntax.names());
    assertThat(words("/$defs/rule/properties/mode")).containsExactly(texts(Policy.Mode.values()));
    assertThat(words("/$defs/rule/properties/on_failure"))
        .containsExactly(texts(OnFailure.values()));
    assertThat(words("/$defs/rule/properties/consistency"))
        .containsExactly(texts(Consistency.values()));
    assertThat(
            Set.copyOf(
                JSON.convertValue(
                    schema("/properties/attributes/propertyNames/not/enum"), List.class)))
        .isEqualTo(Set.of("ip", "method", "host"));
    assertThat(AttributeReader.GIVEN).containsExactlyInAnyOrder("ip", "method", "host", "path");
    assertThat(fields("/properties/attributes/properties/path"))
        .containsExactly(AttributeReader.CASE);
    assertThat(schema("/$defs/rate/pattern").asText()).contains(String.join("|", Period.units()));
  }

  private static List<String> words(String pointer) throws IOException {
    return Arrays.asList(JSON.convertValue(schema(pointer + "/enum"), String[].class));
  }

  private static String[] texts(Object[] values) {
    return Stream.of(values).map(Object::toString).toArray(String[]::new);
  }

  @ParameterizedTest
  @ValueSource(strings = {"shop.yaml", "endpoints.yaml"})
  void theExamplesAreValid(String example) throws IOException {
    assertThat(faults(Files.readString(ExamplesTest.EXAMPLES.resolve(example), UTF_8))).isEmpty();
  }

  static Stream<String> limits() {
    return NativeFormTest.readsLimits().map(arguments -> "limit: " + arguments.get()[0]);
  }

  static Stream<String> matches() {
    return NativeFormTest.readsMatches()
        .map(arguments -> "limit: 1/s, match: " + arguments.get()[0]);
  }

  @ParameterizedTest
  @MethodSource({"limits", "matches"})
  void readableRulesMatchTheSchema(String fields) throws IOException {
    assertThat(faults("rules: [{name: a, " + fields + "}]")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rules: [{name: a}]",
        "rules: [{limit: 1/s}]",
        "rules: [{name: a b, limit: 1/s}]",
        "rules: [{name: a, limit: 1/s, limits: [1/m]}]",
        "rules: [{name: a, limits: []}]",
        "rules: [{name: a, limit: 0.1/s}]",
        "rules: [{name: a, limit: 1 per fortnight}]",
        "rules: [{name: a, limit: {burst: 5}}]",
        "rules: [{name: a, limit: {rate: 1/s, queue: 5}}]",
        "rules: [{name: a, limit: {rate: 1/s, zone: UTC}}]",
        "rules: [{name: a, limit: {rate: 1/s, epochs: 5}}]",
        "rules: [{name: a, limit: {rate: 1/s, count_rejected: true}}]",
        "rules: [{name: a, limit: {rate: 1/s, algorithm: sliding-log, burst: 5}}]",
        "rules: [{name: a, limit: {rate: 1/s, algorithm: concurrency}}]",
        "rules: [{name: a, limit: 1/s, mode: on}]",
        "rules: [{name: a, limit: 1/s, cost: -1}]",
        "rules: [{name: a, limit: 1/s, per: []}]",
        "rules: [{name: a, limit: 1/s, match: {a: []}}]",
        "rules: [{name: a, limit: 1/s, exempt: [{}]}]",
        "rules: [{name: a, limit: 1/s, soft: 1}]",
        "rules: [{name: a, limit: 1/s, overrides: [{limit: 1/s}]}]",
        "attributes: {a: {}}\nrules: []",
        "attributes: {a: {header: x, cookie: y}}\nrules: []",
        "attributes: {a: {header: x, default: y}}\nrules: []",
        "attributes: {a: {lookup: x}}\nrules: []",
        "attributes: {ip: {header: x}}\nrules: []",
        "rulez: []"
      })
  void invalidRulesViolateTheSchema(String text) throws IOException {
    assertThat(new RuleFileFixture(directory).errors(text)).isNotEmpty();
    assertThat(faults(text)).isNotEmpty();
  }

  private static Set<?> faults(String yaml) throws IOException {
    JsonSchema schema =
        JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
            .getSchema(Files.readString(FILE, UTF_8));
    YamlNode root = YamlTree.read("r.yaml", yaml, new ProblemCollector());
    return schema.validate(JSON.valueToTree(plain(Objects.requireNonNull(root))));
  }

  /** A value as YAML's core schema has it: the way that an editor sees it. */
  private static @Nullable Object plain(YamlNode yamlNode) {
    if (yamlNode instanceof YamlNode.Sequence list) {
      return list.items().stream().map(SchemaTest::plain).toArray();
    }
    if (yamlNode instanceof YamlNode.Mapping mapping) {
      Map<String, @Nullable Object> map = new LinkedHashMap<>();
      mapping.entries().forEach(entry -> map.put(entry.key().text(), plain(entry.value())));
      return map;
    }
    YamlNode.Scalar scalar = (YamlNode.Scalar) yamlNode;
    String text = scalar.text();
    if (scalar.isNull()) {
      return null;
    }
    if (scalar.isPlain() && text.matches("true|false")) {
      return Boolean.valueOf(text);
    }
    if (scalar.isPlain() && text.matches("-?\\d+")) {
      return Long.valueOf(text);
    }
    return scalar.isPlain() && text.matches("-?\\d+\\.\\d+") ? (Object) Double.valueOf(text) : text;
  }
}
