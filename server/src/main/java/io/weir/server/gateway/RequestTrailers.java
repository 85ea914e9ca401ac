package io.weir.server.gateway;

import io.netty.handler.codec.http.HttpHeaders;
import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.headers.HeadersMultiMap;
import io.weir.rules.AttributeSource;
import io.weir.rules.Domain;
import io.weir.rules.RuleSet;
import io.weir.server.connection.ConnectionLimiter;
import io.weir.server.connection.ForwardingHeaders;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The request trailers that are forwarded. Some servers merge trailers into the headers, but the
 * gateway has decided by the headers alone. So no trailer may change the meaning, the origin or the
 * headers of the request.
 */
final class RequestTrailers {
  private static final Set<String> OF_HEADS =
      Set.of(
          "authorization",
          "cache-control",
          "cookie",
          "expect",
          "max-forwards",
          "origin",
          "pragma",
          "range",
          "referer");

  private RequestTrailers() {}

  /**
   * The trailers to forward; empty unless the request is chunked HTTP/1.1.
   *
   * @param rules the active rules; trailers named like a header that they read are dropped
   */
  static HttpHeaders of(HttpServerRequest request, Supplier<RuleSet> rules) {
    HttpHeaders from = ConnectionLimiter.trailers(request.connection());
    if (from.isEmpty()) {
      return from;
    }
    MultiMap head = request.headers();
    List<String> named = RequestHeaderFilter.named(head);
    Set<String> read = read(rules.get());
    HeadersMultiMap to = HeadersMultiMap.httpHeaders();
    for (Iterator<Map.Entry<CharSequence, CharSequence>> all = from.iteratorCharSequence();
        all.hasNext(); ) {
      Map.Entry<CharSequence, CharSequence> trailer = all.next();
      CharSequence name = trailer.getKey();
      if (mayBeLast(name)
          && !RequestHeaderFilter.isAmong(named, name)
          && !head.contains(name)
          && !read.contains(plain(name))) {
        to.add(name, trailer.getValue());
      }
    }
    return to;
  }

  /** The headers that rules read; a trailer of that name would bypass them. */
  private static Set<String> read(RuleSet rules) {
    Set<String> names = new HashSet<>();
    for (Domain domain : rules.domains()) {
      for (AttributeSource source : domain.attributes().values()) {
        if (source instanceof AttributeSource.Field field
            && field.kind() == AttributeSource.Field.Kind.HEADER) {
          names.add(plain(field.name()));
        }
      }
    }
    return names;
  }

  /** The name as seen by servers that map headers to variables. */
  private static String plain(CharSequence name) {
    return name.toString().replace('_', '-').toLowerCase(Locale.ROOT);
  }

  private static boolean mayBeLast(CharSequence name) {
    String lowerCase = name.toString().toLowerCase(Locale.ROOT);
    return !lowerCase.isEmpty()
        && HeaderKind.of(name) == HeaderKind.PLAIN
        && !ForwardingHeaders.isDisguised(name)
        && !OF_HEADS.contains(lowerCase)
        && !lowerCase.startsWith("content-")
        && !lowerCase.startsWith("if-");
  }
}
