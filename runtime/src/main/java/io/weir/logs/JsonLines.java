package io.weir.logs;

import io.weir.rules.http.JsonWriter;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.logging.Formatter;
import java.util.logging.Level;
import java.util.logging.LogRecord;

/**
 * Formats each log line as a JSON object with the field names of the Elastic Common Schema:
 *
 * <pre>{@code
 * {"@timestamp":"2026-11-16T06:41:00.123Z","log.level":"INFO",
 *  "message":"rules reloaded: 3 rules","ecs.version":"8.11.0","service.name":"weir",
 *  "event.dataset":"weir.log","log.logger":"io.weir.server","weir.rules":3}
 * }</pre>
 *
 * <p>Names are dotted, as the ECS loggers for Java write them. Fields of Weir's own begin with
 * {@code weir.}, unless the schema has a name for them; where something was thrown there are {@code
 * error.type}, {@code error.message} and {@code error.stack_trace}.
 */
public final class JsonLines extends Formatter {
  /** The version of the Elastic Common Schema. */
  public static final String ECS_VERSION = "8.11.0";

  private static final int MAX_MESSAGE_LENGTH = 1000;
  private static final int MAX_TRACE_LENGTH = 8000;

  /** Fields that have a name in the schema; they go to the top level of a line. */
  private static final Map<String, String> KNOWN =
      Map.of("what", "event.action", "by", "client.address", "version", "service.version");

  /** The first fields of every line that Weir writes. */
  public static JsonWriter begin(String time, String level, String message, String dataset) {
    return new JsonWriter()
        .open()
        .text("@timestamp", time)
        .text("log.level", level)
        .text("message", message)
        .text("ecs.version", ECS_VERSION)
        .text("service.name", "weir")
        .text("event.dataset", dataset);
  }

  @Override
  public String format(LogRecord line) {
    JsonWriter jsonWriter =
        begin(
                line.getInstant().truncatedTo(ChronoUnit.MILLIS).toString(),
                level(line.getLevel()),
                formatMessage(line),
                "weir.log")
            .text("log.logger", line.getLoggerName());
    Object[] parameters = line.getParameters();
    if (parameters != null
        && parameters.length == 1
        && parameters[0] instanceof LogEntry logEntry) {
      logEntry
          .fields()
          .forEach(
              (name, value) -> add(jsonWriter, KNOWN.getOrDefault(name, "weir." + name), value));
    }
    Throwable thrown = line.getThrown();
    if (thrown != null) {
      jsonWriter
          .text("error.type", thrown.getClass().getName())
          .text("error.message", cut(String.valueOf(thrown.getMessage()), MAX_MESSAGE_LENGTH))
          .text("error.stack_trace", cut(trace(thrown), MAX_TRACE_LENGTH));
    }
    return jsonWriter.close() + "\n";
  }

  private static void add(JsonWriter jsonWriter, String name, Object value) {
    if (value instanceof Long number) {
      jsonWriter.number(name, number);
    } else if (value instanceof Boolean truth) {
      jsonWriter.truth(name, truth);
    } else if (value instanceof List<?> items) {
      jsonWriter.open(name, '[');
      items.forEach(each -> add(jsonWriter, each));
      jsonWriter.end(']');
    } else {
      jsonWriter.text(name, String.valueOf(value));
    }
  }

  private static void add(JsonWriter jsonWriter, Object item) {
    if (item instanceof LogEntry logEntry) {
      jsonWriter.begin('{');
      logEntry.fields().forEach((name, value) -> add(jsonWriter, name, value));
      jsonWriter.end('}');
    } else {
      jsonWriter.text(String.valueOf(item));
    }
  }

  /** The level names that most programs use. */
  private static String level(Level level) {
    int height = level.intValue();
    if (height >= Level.SEVERE.intValue()) {
      return "ERROR";
    }
    if (height >= Level.WARNING.intValue()) {
      return "WARN";
    }
    return height >= Level.INFO.intValue() ? "INFO" : "DEBUG";
  }

  private static String trace(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text, true));
    return text.toString();
  }

  private static String cut(String text, int maxLength) {
    return text.length() <= maxLength ? text : text.substring(0, maxLength);
  }
}
