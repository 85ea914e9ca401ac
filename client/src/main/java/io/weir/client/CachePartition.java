package io.weir.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.CookieHandler;
import java.net.http.HttpRequest;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The identity that a cached response belongs to. Servers may identify callers by any header, so
 * all headers count except a few that never do. The scope and the wrapped client's cookies count as
 * well.
 */
final class CachePartition {
  private static final Set<String> HARMLESS =
      Set.of(
          "user-agent",
          "cache-control",
          "pragma",
          "traceparent",
          "tracestate",
          "x-request-id",
          "x-correlation-id",
          "if-match",
          "if-none-match",
          "if-modified-since",
          "if-unmodified-since",
          "if-range");

  private CachePartition() {}

  static String of(HttpRequest request, ClientContext clientContext) {
    StringBuilder owner = new StringBuilder();
    append(owner, clientContext.requestQueues().name(request));
    for (Map.Entry<String, List<String>> header : request.headers().map().entrySet()) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      if (!isHarmless(name)) {
        append(owner, name);
        header.getValue().forEach(value -> append(owner, "=" + value));
      }
    }
    clientContext.http().cookieHandler().ifPresent(jar -> append(owner, cookies(jar, request)));
    return owner.toString();
  }

  private static boolean isHarmless(String name) {
    return name.startsWith("accept") || HARMLESS.contains(name);
  }

  /** Adds the length first, so that no value can pass for two others. */
  private static void append(StringBuilder owner, String text) {
    owner.append(text.length()).append(':').append(text);
  }

  private static String cookies(CookieHandler jar, HttpRequest request) {
    try {
      return jar.get(request.uri(), Map.of()).toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
