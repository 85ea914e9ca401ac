package io.weir.server.tracing;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanBuilder;
import io.vertx.core.http.HttpVersion;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The names and values of the stable semantic conventions for HTTP. */
final class HttpAttributes {
  static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
  static final AttributeKey<String> METHOD_ORIGINAL =
      AttributeKey.stringKey("http.request.method_original");
  static final AttributeKey<Long> RESEND_COUNT = AttributeKey.longKey("http.request.resend_count");
  static final AttributeKey<Long> STATUS = AttributeKey.longKey("http.response.status_code");
  static final AttributeKey<String> ROUTE = AttributeKey.stringKey("http.route");
  static final AttributeKey<String> PATH = AttributeKey.stringKey("url.path");
  static final AttributeKey<String> SCHEME = AttributeKey.stringKey("url.scheme");
  static final AttributeKey<String> URL = AttributeKey.stringKey("url.full");
  static final AttributeKey<String> SERVER = AttributeKey.stringKey("server.address");
  static final AttributeKey<Long> PORT = AttributeKey.longKey("server.port");
  static final AttributeKey<String> VERSION = AttributeKey.stringKey("network.protocol.version");
  static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");

  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH");

  private HttpAttributes() {}

  /** The span name of a request; only known methods, because clients can invent others. */
  static String name(String method) {
    return METHODS.contains(method) ? method : "HTTP";
  }

  static SpanBuilder method(SpanBuilder span, String method) {
    return METHODS.contains(method)
        ? span.setAttribute(METHOD, method)
        : span.setAttribute(METHOD, "_OTHER").setAttribute(METHOD_ORIGINAL, method);
  }

  static @Nullable String version(@Nullable HttpVersion version) {
    if (version == null) {
      return null;
    }
    return switch (version) {
      case HTTP_1_0 -> "1.0";
      case HTTP_1_1 -> "1.1";
      case HTTP_2 -> "2";
    };
  }

  /** The path of a request's target, which may be a whole URL. */
  static String path(@Nullable String target) {
    if (target == null) {
      return "";
    }
    int end = 0;
    while (end < target.length() && target.charAt(end) != '?' && target.charAt(end) != '#') {
      end++;
    }
    int start = 0;
    int host = target.startsWith("/") ? -1 : target.indexOf("://");
    if (host >= 0 && host < end) {
      start = target.indexOf('/', host + 3);
      if (start < 0 || start > end) {
        return "/";
      }
    }
    return target.substring(start, end);
  }
}
