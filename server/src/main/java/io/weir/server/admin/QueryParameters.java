package io.weir.server.admin;

import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.http.Query;
import io.weir.rules.match.MalformedRequestException;
import io.weir.server.http.CountParser;
import io.weir.text.DidYouMean;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The query parameters of a request; each mistake is a {@link MalformedRequestException}. */
final class QueryParameters {
  private static final int MAX_PARAMETERS = 64;
  private static final int MAX_VALUE_CHARS = 1000;

  private final Map<String, String> given;

  private QueryParameters(Map<String, String> given) {
    this.given = given;
  }

  /** The parameters of a request, which may only be {@code known} ones. */
  static QueryParameters of(HttpServerRequest request, String... known) {
    String query = request.query();
    Map<String, String> given = Query.parameters(query == null ? "" : query, MAX_PARAMETERS);
    List<String> names = List.of(known);
    for (Map.Entry<String, String> each : given.entrySet()) {
      if (!names.contains(each.getKey())) {
        throw new MalformedRequestException(
            "there is no parameter '" + each.getKey() + "'" + DidYouMean.of(each.getKey(), names));
      }
      if (each.getValue().length() > MAX_VALUE_CHARS) {
        throw new MalformedRequestException("'" + each.getKey() + "' is too long");
      }
    }
    return new QueryParameters(given);
  }

  /** A text; null if there is none. */
  @Nullable String text(String name) {
    return given.get(name);
  }

  /** One of the given words. */
  String oneOf(String name, String fallback, List<String> words) {
    String word = given.getOrDefault(name, fallback);
    if (!words.contains(word)) {
      throw new MalformedRequestException(
          "'" + name + "' must be one of " + String.join(", ", words));
    }
    return word;
  }

  /** A number. */
  int number(String name, int fallback, int min, int max) {
    String text = given.get(name);
    long number = text == null ? fallback : CountParser.parse(text, "'" + name + "'");
    if (number < min || number > max) {
      throw new MalformedRequestException("'" + name + "' must be from " + min + " to " + max);
    }
    return (int) number;
  }
}
