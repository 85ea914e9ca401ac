package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.networknt.schema.JsonSchema;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import io.weir.server.admin.OpenApi;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The content of {@code openapi.yaml}, to compare responses with. */
final class OpenApiDescription {
  private static final Set<String> METHODS = Set.of("get", "post", "put", "delete", "patch");
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final JsonNode root =
      MAPPER.valueToTree(new Load(LoadSettings.builder().build()).loadFromString(OpenApi.text()));
  private final Set<String> seen = new TreeSet<>();

  JsonNode root() {
    return root;
  }

  /** {@code GET /v1/check} and so on, of the service or of the admin port. */
  Set<String> operations(String tag) {
    Set<String> all = new TreeSet<>();
    root.get("paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .properties()
                    .forEach(
                        method -> {
                          if (METHODS.contains(method.getKey())
                              && method.getValue().get("tags").get(0).asText().equals(tag)) {
                            all.add(method.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey());
                          }
                        }));
    return all;
  }

  /** All described responses: {@code GET /v1/check 200}. */
  Set<String> responses() {
    Set<String> all = new TreeSet<>();
    for (String tag : Set.of("service", "admin")) {
      for (String operation : operations(tag)) {
        operation(operation)
            .get("responses")
            .fieldNames()
            .forEachRemaining(status -> all.add(operation + " " + status));
      }
    }
    return all;
  }

  /** The responses that were checked. */
  Set<String> seen() {
    return seen;
  }

  /** Fails unless such a response is described, with this body. */
  void check(String operation, int status, String type, String body) throws Exception {
    JsonNode response = resolved(operation(operation).get("responses").path("" + status));
    String name = operation + " " + status;
    assertThat(response.isMissingNode()).as("%s is not described: %s", name, body).isFalse();
    seen.add(name);
    if (body.isEmpty()) {
      return;
    }
    String media = type.split(";", 2)[0];
    JsonNode schema = response.path("content").path(media).path("schema");
    assertThat(schema.isMissingNode()).as("%s has no %s: %s", name, media, body).isFalse();
    if (media.endsWith("json")) {
      assertThat(schema(schema).validate(MAPPER.readTree(body))).as(name + ": " + body).isEmpty();
    }
  }

  /** Fails unless a response to an unknown operation is described. */
  void checkAnywhere(int status, String body) throws Exception {
    JsonNode anywhere = root.at("/components/responses/Anywhere");
    assertThat(anywhere.get("description").asText()).contains(status + ": ");
    JsonNode schema = anywhere.at("/content/application~1json/schema");
    assertThat(schema(schema).validate(MAPPER.readTree(body))).as(status + ": " + body).isEmpty();
  }

  /** Fails unless {@code body} is one that the operation takes. */
  boolean takes(String operation, String body) throws Exception {
    JsonNode content = operation(operation).get("requestBody").get("content");
    return schema(content.get("application/json").get("schema"))
        .validate(MAPPER.readTree(body))
        .isEmpty();
  }

  private JsonNode operation(String operation) {
    String[] parts = operation.split(" ", 2);
    return root.get("paths").path(parts[1]).path(parts[0].toLowerCase(Locale.ROOT));
  }

  private JsonNode resolved(JsonNode node) {
    return node.has("$ref") ? root.at(node.get("$ref").asText().substring(1)) : node;
  }

  private JsonSchema schema(JsonNode schema) {
    ObjectNode whole = MAPPER.createObjectNode();
    whole.setAll((ObjectNode) schema);
    whole.set("components", root.get("components"));
    return JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012).getSchema(whole);
  }
}
