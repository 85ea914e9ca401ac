package io.weir.cli.top;

import io.weir.rules.http.JsonWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot as one JSON object: the fields of the overview, and also {@code rule}, {@code rates},
 * {@code series} and {@code keys}.
 */
final class SnapshotJson {
  private SnapshotJson() {}

  static String of(Snapshot snapshot) {
    JsonWriter out = new JsonWriter().open();
    addAll(out, snapshot.overview().value());
    out.text("rule", snapshot.snapshotQuery().rule());
    out.open("rates", '{').number("seconds", snapshot.seconds());
    snapshot.outcomes().forEach(each -> out.raw(each, decimal(snapshot.rate(each))));
    out.close();
    add(out, "series", snapshot.series().value());
    out.open("keys", '{');
    add(out, "window", snapshot.refused().at("window").value());
    add(out, "refused", snapshot.refused().at("items").value());
    add(out, "would_be_refused", snapshot.wouldBeRefused().at("items").value());
    add(out, "near", snapshot.near().at("items").value());
    add(out, "sampling", snapshot.refused().at("sampling").value());
    add(out, "error", snapshot.refused().at("error").value());
    return out.close().close().toString();
  }

  private static String decimal(double rate) {
    return String.format(Locale.ROOT, "%.3f", rate);
  }

  private static void addAll(JsonWriter out, @Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      map.forEach((name, each) -> add(out, String.valueOf(name), each));
    }
  }

  private static void add(JsonWriter out, String name, @Nullable Object value) {
    if (value instanceof Map<?, ?>) {
      addAll(out.open(name, '{'), value);
      out.close();
    } else if (value instanceof List<?> list) {
      out.open(name, '[');
      list.forEach(each -> add(out, each));
      out.end(']');
    } else if (value instanceof String text) {
      out.text(name, text);
    } else {
      out.raw(name, String.valueOf(value)); // a number, a boolean or null
    }
  }

  private static void add(JsonWriter out, @Nullable Object value) {
    if (value instanceof Map<?, ?>) {
      addAll(out.begin('{'), value);
      out.close();
    } else if (value instanceof List<?> list) {
      out.begin('[');
      list.forEach(each -> add(out, each));
      out.end(']');
    } else if (value instanceof String text) {
      out.text(text);
    } else {
      out.raw(String.valueOf(value));
    }
  }
}
