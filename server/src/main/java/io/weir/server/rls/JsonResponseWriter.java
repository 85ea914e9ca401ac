package io.weir.server.rls;

import io.weir.rules.http.Header;
import io.weir.rules.http.JsonWriter;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a {@code RateLimitResponse} in the JSON of protocol buffers. Fields with default values
 * are left out.
 */
final class JsonResponseWriter {
  private final JsonWriter out = new JsonWriter();

  private JsonResponseWriter() {}

  static String write(RlsResponse rlsResponse) {
    return new JsonResponseWriter().response(rlsResponse);
  }

  private String response(RlsResponse rlsResponse) {
    out.open().text("overallCode", code(rlsResponse.isOver())).open("statuses", '[');
    rlsResponse.statuses().forEach(this::status);
    out.end(']');
    if (!rlsResponse.headers().isEmpty()) {
      out.open("responseHeadersToAdd", '[');
      for (Header header : rlsResponse.headers()) {
        out.open().text("key", header.name()).text("value", header.value()).close();
      }
      out.end(']');
    }
    if (!rlsResponse.metadata().isEmpty()) {
      out.open("dynamicMetadata", '{');
      fields(rlsResponse.metadata());
      out.close();
    }
    return out.close().toString();
  }

  private static String code(boolean isOver) {
    return isOver ? "OVER_LIMIT" : "OK";
  }

  private void status(RlsResponse.DescriptorStatus descriptorStatus) {
    out.open().text("code", code(descriptorStatus.isOver()));
    RlsResponse.CurrentLimit limit = descriptorStatus.limit();
    if (limit != null) {
      out.open("currentLimit", '{');
      number("requestsPerUnit", limit.requestsPerUnit());
      if (limit.envoyUnit() != EnvoyUnit.UNKNOWN) {
        out.text("unit", limit.envoyUnit().name());
      }
      if (!limit.name().isEmpty()) {
        out.text("name", limit.name());
      }
      out.close();
    }
    number("limitRemaining", descriptorStatus.remaining());
    if (descriptorStatus.resetSeconds() > 0) {
      out.text("durationUntilReset", descriptorStatus.resetSeconds() + "s");
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
