package io.weir.server.rls;

import io.weir.rules.http.Header;
import io.weir.rules.http.Json;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a {@code RateLimitResponse} in the JSON of protocol buffers. Fields with default values
 * are left out.
 */
final class JsonReply {
  private final Json out = new Json();

  private JsonReply() {}

  static String write(Reply reply) {
    return new JsonReply().response(reply);
  }

  private String response(Reply reply) {
    out.open().text("overallCode", code(reply.isOver())).open("statuses", '[');
    reply.statuses().forEach(this::status);
    out.end(']');
    if (!reply.headers().isEmpty()) {
      out.open("responseHeadersToAdd", '[');
      for (Header header : reply.headers()) {
        out.open().text("key", header.name()).text("value", header.value()).close();
      }
      out.end(']');
    }
    if (!reply.metadata().isEmpty()) {
      out.open("dynamicMetadata", '{');
      fields(reply.metadata());
      out.close();
    }
    return out.close().toString();
  }

  private static String code(boolean isOver) {
    return isOver ? "OVER_LIMIT" : "OK";
  }

  private void status(Reply.Status status) {
    out.open().text("code", code(status.isOver()));
    Reply.ShownLimit limit = status.limit();
    if (limit != null) {
      out.open("currentLimit", '{');
      number("requestsPerUnit", limit.requestsPerUnit());
      if (limit.unit() != Unit.UNKNOWN) {
        out.text("unit", limit.unit().name());
      }
      if (!limit.name().isEmpty()) {
        out.text("name", limit.name());
      }
      out.close();
    }
    number("limitRemaining", status.remaining());
    if (status.resetSeconds() > 0) {
      out.text("durationUntilReset", status.resetSeconds() + "s");
    }
    out.close();
  }

  private void number(String name, long value) {
    if (value != 0) {
      out.number(name, value);
    }
  }

  private void fields(Map<?, ? extends @Nullable Object> fields) {
    fields.forEach(
        (key, value) -> {
          String name = String.valueOf(key);
          if (value instanceof String text) {
            out.text(name, text);
          } else if (value instanceof Boolean truth) {
            out.truth(name, truth);
          } else if (value instanceof Map<?, ?> map) {
            out.open(name, '{');
            fields(map);
            out.close();
          } else if (value instanceof List<?> list) {
            out.open(name, '[');
            elements(list);
            out.end(']');
          } else if (value instanceof Number number) {
            out.raw(name, decimal(number.doubleValue()));
          } else {
            out.nothing(name);
          }
        });
  }

  private void elements(List<? extends @Nullable Object> elements) {
    for (Object element : elements) {
      if (element instanceof String text) {
        out.text(text);
      } else if (element instanceof Map<?, ?> map) {
        out.open();
        fields(map);
        out.close();
      } else if (element instanceof List<?> list) {
        out.begin('[');
        elements(list);
        out.end(']');
      } else if (element instanceof Number number) {
        out.raw(decimal(number.doubleValue()));
      } else {
        out.raw(String.valueOf(element)); // a boolean, or null
      }
    }
  }

  private static String decimal(double number) {
    boolean isWhole = number == Math.rint(number) && Math.abs(number) < 1e15;
    return isWhole ? Long.toString((long) number) : Double.toString(number);
  }
}
