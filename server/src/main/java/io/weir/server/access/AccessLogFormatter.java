package io.weir.server.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.http.HttpVersion;
import io.weir.logs.JsonLines;
import io.weir.rules.http.JsonWriter;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Formats entries as lines. In the common formats, a quote, a backslash and everything except
 * printable ASCII is written as {@code \\xHH}, as nginx does. So no client can forge a line or a
 * field.
 */
final class AccessLogFormatter {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final AccessFormat format;

  AccessLogFormatter(AccessFormat format) {
    this.format = format;
  }

  /** Appends a line, with its line end. */
  void write(AccessEntry entry, StringBuilder to) {
    if (format == AccessFormat.JSON) {
      to.append(json(entry));
    } else {
      common(entry, to);
    }
    to.append('\n');
  }

  private void common(AccessEntry entry, StringBuilder to) {
    to.append(entry.client == null ? "-" : entry.client).append(" - - [");
    TIME.formatTo(Instant.ofEpochMilli(entry.millis), to);
    to.append("] \"");
    escape(entry.method, to);
    to.append(' ');
    escape(UrlMasking.target(entry.target), to);
    to.append(" HTTP/").append(version(entry.version)).append("\" ");
    to.append(entry.status).append(' ').append(entry.bytes);
    if (format == AccessFormat.COMBINED) {
      quoted(entry.referer == null ? null : UrlMasking.target(entry.referer), to);
      quoted(entry.agent, to);
      if (entry.trace != null) {
        quoted(entry.trace, to);
      }
    }
  }

  private static void quoted(@Nullable String text, StringBuilder to) {
    to.append(" \"");
    escape(text == null ? "-" : text, to);
    to.append('"');
  }

  private static void escape(String text, StringBuilder to) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= ' ' && c < 0x7f && c != '"' && c != '\\') {
        to.append(c);
      } else if (c <= 0xff) { // header bytes are read as Latin-1, one byte for each char
        hex(c, to);
      } else {
        for (byte each : Character.toString(c).getBytes(UTF_8)) {
          hex(each & 0xff, to);
        }
      }
    }
  }

  private static void hex(int value, StringBuilder to) {
    to.append("\\x");
    to.append(Character.toUpperCase(Character.forDigit(value >> 4, 16)));
    to.append(Character.toUpperCase(Character.forDigit(value & 15, 16)));
  }

  private static JsonWriter json(AccessEntry entry) {
    String path = UrlMasking.path(entry.target);
    String query = UrlMasking.queryOf(entry.target);
    String time = Instant.ofEpochMilli(entry.millis).truncatedTo(ChronoUnit.MILLIS).toString();
    JsonWriter jsonWriter =
        JsonLines.begin(time, "INFO", entry.method + " " + path + " " + entry.status, "weir.access")
            .text("log.logger", "io.weir.access")
            .text("event.kind", "event")
            .text("event.outcome", entry.status < 400 ? "success" : "failure")
            .number("event.duration", entry.nanos)
            .text("http.request.method", entry.method)
            .number("http.response.status_code", entry.status)
            .number("http.response.body.bytes", entry.bytes)
            .text("http.version", version(entry.version))
            .text("url.path", path);
    if (!query.isEmpty()) {
      jsonWriter.text("url.query", query);
    }
    some(jsonWriter, "url.domain", entry.host);
    some(jsonWriter, "client.address", entry.client);
    some(jsonWriter, "user_agent.original", entry.agent);
    some(
        jsonWriter,
        "http.request.referrer",
        entry.referer == null ? null : UrlMasking.target(entry.referer));
    some(jsonWriter, "trace.id", entry.trace);
    jsonWriter.text("weir.port", entry.port);
    some(jsonWriter, "weir.outcome", entry.outcome);
    some(jsonWriter, "weir.rule", entry.rule);
    some(jsonWriter, "weir.upstream", entry.upstream);
    return jsonWriter.close();
  }

  private static void some(JsonWriter jsonWriter, String name, @Nullable String value) {
    if (value != null) {
      jsonWriter.text(name, value);
    }
  }

  private static String version(HttpVersion version) {
    return switch (version) {
      case HTTP_1_0 -> "1.0";
      case HTTP_1_1 -> "1.1";
      case HTTP_2 -> "2.0";
    };
  }
}
