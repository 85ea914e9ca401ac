package io.weir.logs;

import io.weir.rules.http.Json;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/**
 * Each line of the log is an object of JSON:
 *
 * <pre>{@code
 * {"time":"2026-11-16T06:41:00.123Z","level":"info","logger":"io.weir.server",
 *  "message":"rules reloaded: 3 rules","fields":{"rules":3}}
 * }</pre>
 *
 * <p>{@code fields} is there where there are any, {@code error} where something was thrown.
 */
public final class JsonLines extends Formatter {
  private static final int LONGEST_TRACE = 8000;

  @Override
  public String format(LogRecord line) {
    Json json =
        new Json()
            .open()
            .text("time", line.getInstant().truncatedTo(ChronoUnit.MILLIS).toString())
            .text("level", level(line.getLevel()))
            .text("logger", line.getLoggerName())
            .text("message", formatMessage(line));
    Object[] made = line.getParameters();
    if (made != null && made.length == 1 && made[0] instanceof Entry entry) {
      if (!entry.fields().isEmpty()) {
        add(json.open("fields", '{'), entry.fields());
      }
    }
    if (line.getThrown() != null) {
      json.text("error", trace(line.getThrown()));
    }
    return json.close() + "\n";
  }

  private static void add(Json json, Map<String, Object> fields) {
    fields.forEach(
        (name, value) -> {
          if (value instanceof Long number) {
            json.number(name, number);
          } else if (value instanceof Boolean truth) {
            json.truth(name, truth);
          } else if (value instanceof List<?> items) {
            json.open(name, '[');
            items.forEach(each -> add(json, each));
            json.end(']');
          } else {
            json.text(name, String.valueOf(value));
          }
        });
    json.end('}');
  }

  private static void add(Json json, Object item) {
    if (item instanceof Entry entry) {
      add(json.begin('{'), entry.fields());
    } else {
      json.text(String.valueOf(item));
    }
  }

  /** As most programs call them. */
  private static String level(Level level) {
    int height = level.intValue();
    if (height >= Level.SEVERE.intValue()) {
      return "error";
    }
    if (height >= Level.WARNING.intValue()) {
      return "warn";
    }
    return height >= Level.INFO.intValue() ? "info" : "debug";
  }

  private static String trace(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text, true));
    return text.getBuffer().substring(0, Math.min(LONGEST_TRACE, text.getBuffer().length()));
  }
}
