package io.weir.cli;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** What a node says of one caller, in words. JSON is read as the YAML that it is. */
final class KeyText {
  private final Map<?, ?> page;

  KeyText(String json) {
    this.page = read(json);
  }

  private static Map<?, ?> read(String json) {
    try {
      Object read = new Load(LoadSettings.builder().build()).loadFromString(json);
      return read instanceof Map<?, ?> map ? map : Map.of();
    } catch (YamlEngineException e) {
      return Map.of();
    }
  }

  /** Why a node did not do it. */
  static String message(HttpResponse<String> answer) {
    Object message = read(answer.body()).get("message");
    Object error = read(answer.body()).get("error");
    return message != null
        ? plain(message)
        : "the node answers " + answer.statusCode() + (error == null ? "" : ", " + plain(error));
  }

  List<String> lines() {
    List<String> lines = new ArrayList<>();
    String key = plain(page.get("key"));
    lines.add(
        "rule %s, domain %s, %s"
            .formatted(
                plain(page.get("rule")),
                plain(page.get("domain")),
                key.isEmpty() ? "one bucket for all" : "key " + key));
    for (Object each : list(page.get("buckets"))) {
      Map<?, ?> bucket = map(each);
      Object override = bucket.get("override");
      lines.add(
          "  "
              + (override == null ? "" : "override " + plain(override) + ": ")
              + (Boolean.TRUE.equals(bucket.get("allowed"))
                  ? "allowed, " + bucket.get("remaining") + " left"
                  : "refused, " + wait(bucket.get("retry_after_ms"))));
      for (Object limit : list(bucket.get("limits"))) {
        Map<?, ?> of = map(limit);
        lines.add(
            "    %s: %s of %s left, all of it in %s"
                .formatted(
                    plain(of.get("limit")),
                    of.get("remaining"),
                    of.get("capacity"),
                    seconds(of.get("reset_after_ms"))));
      }
    }
    return lines;
  }

  private static String wait(@Nullable Object millis) {
    return millis instanceof Number number && number.longValue() < 0
        ? "and never fits"
        : "retry after " + seconds(millis);
  }

  private static String seconds(@Nullable Object millis) {
    return millis instanceof Number number ? number.longValue() / 1000.0 + " s" : "?";
  }

  /** What a caller has sent must not drive the terminal. */
  private static String plain(@Nullable Object value) {
    return String.valueOf(value).replaceAll("[\\p{Cntrl}\\p{Cf}\\p{Cs}]", "?");
  }

  private static List<?> list(@Nullable Object value) {
    return value instanceof List<?> list ? list : List.of();
  }

  private static Map<?, ?> map(@Nullable Object value) {
    return value instanceof Map<?, ?> map ? map : Map.of();
  }
}
