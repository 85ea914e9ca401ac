package io.weir.server.service;

import io.vertx.core.buffer.Buffer;
import io.weir.rules.http.Query;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.http.CountParser;
import io.weir.server.http.JsonInput;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request body: one JSON object with a few fields; each endpoint accepts some of them.
 *
 * <pre>{@code {"attributes":{"user":"42"},"cost":1,"ttl_seconds":60,"reservation":"…"}}</pre>
 */
final class ServiceRequestBody {
  /** The most attributes of a request. */
  static final int MAX_ATTRIBUTES = 100;

  /** The most requests in one list. */
  static final int MAX_QUESTIONS = 1000;

  private static final Set<String> QUESTION = Set.of("attributes", "cost");

  private @Nullable Map<String, String> attributes;
  private @Nullable Long cost;
  private @Nullable Long ttlSeconds;
  private @Nullable String reservation;

  private ServiceRequestBody() {}

  /** Reads a body that is one object with some of {@code fields}. */
  static ServiceRequestBody read(Buffer body, Set<String> fields) {
    JsonInput in = JsonInput.of(body);
    if (in.isEmpty()) {
      throw new MalformedRequestException("the body is empty; it must be a JSON object");
    }
    ServiceRequestBody serviceRequestBody = new ServiceRequestBody();
    serviceRequestBody.fill(in, fields, "the body");
    in.end();
    return serviceRequestBody;
  }

  /** Reads a request of {@code /v1/check}. */
  static CheckRequest parse(JsonInput in, String what) {
    ServiceRequestBody serviceRequestBody = new ServiceRequestBody();
    serviceRequestBody.fill(in, QUESTION, what);
    return serviceRequestBody.toCheckRequest(what);
  }

  /** Reads a list of requests. */
  static List<CheckRequest> questions(JsonInput in) {
    List<CheckRequest> all = new ArrayList<>();
    in.beginList("the body");
    while (in.hasNext()) {
      if (all.size() == MAX_QUESTIONS) {
        throw new MalformedRequestException(
            "there are more than " + MAX_QUESTIONS + " questions; send them in several lists");
      }
      all.add(parse(in, "question " + (all.size() + 1)));
    }
    return all;
  }

  /** The request in a query string: {@code user=42&cost=2}. */
  static CheckRequest parse(@Nullable String query) {
    if (query == null) {
      return new CheckRequest(Map.of(), 1);
    }
    Map<String, String> parameters = Query.parameters(query, MAX_ATTRIBUTES + 1);
    String cost = parameters.remove("cost");
    return new CheckRequest(parameters, cost == null ? 1 : CountParser.parse(cost, "'cost'"));
  }

  private void fill(JsonInput in, Set<String> fields, String what) {
    in.beginObject(what);
    for (String name = in.name(); name != null; name = in.name()) {
      if (!fields.contains(name)) {
        throw in.unknown(name, String.join(", ", fields.stream().sorted().toList()));
      }
      switch (name) {
        case "attributes" -> attributes = attributes(in);
        case "cost" -> cost = in.count("'cost'");
        case "ttl_seconds" -> ttlSeconds = in.count("'ttl_seconds'");
        default -> reservation = in.text("'reservation'");
      }
    }
  }

  private static Map<String, String> attributes(JsonInput in) {
    Map<String, String> all = new HashMap<>();
    in.beginObject("'attributes'");
    for (String name = in.name(); name != null; name = in.name()) {
      String value = in.textOrNumber("attribute", name);
      if (value != null) {
        all.put(name, value);
      }
      if (all.size() > MAX_ATTRIBUTES) {
        throw new MalformedRequestException(
            "there are more than " + MAX_ATTRIBUTES + " attributes");
      }
    }
    return all;
  }

  /** The request; a cost that is left out is 1. */
  CheckRequest toCheckRequest(String what) {
    if (attributes == null) {
      throw new MalformedRequestException("'attributes' is missing in " + what);
    }
    return new CheckRequest(attributes, cost == null ? 1 : cost);
  }

  boolean hasAttributes() {
    return attributes != null;
  }

  /** The cost; null if it was left out. */
  @Nullable Long cost() {
    return cost;
  }

  /** The time to live; null if it was left out. */
  @Nullable Long ttlSeconds() {
    return ttlSeconds;
  }

  /** The reservation; null if it was left out. */
  @Nullable String reservation() {
    return reservation;
  }
}
