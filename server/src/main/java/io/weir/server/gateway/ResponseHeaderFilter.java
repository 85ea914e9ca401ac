package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.weir.rules.http.Cors;
import io.weir.rules.http.Header;
import io.weir.server.codec.HeaderIteration;
import io.weir.server.http.HeaderNames;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Filters the response headers for the client and adds the limit headers. */
final class ResponseHeaderFilter {
  private static final CharSequence VIA = HttpHeaders.createOptimized("Via");
  private static final CharSequence EXPOSED =
      HttpHeaders.createOptimized("Access-Control-Expose-Headers");

  private final MultiMap to;
  private final List<Header> limits;
  private @Nullable LimitHeaderMerger limitHeaderMerger;
  private @Nullable String via;
  private @Nullable String exposed;
  private boolean isForOtherOrigin;

  private ResponseHeaderFilter(MultiMap to, List<Header> limits) {
    this.to = to;
    this.limits = limits;
  }

  /**
   * Copies the headers to return.
   *
   * @param limits the gateway's limit headers; merged with the server's, if it sends its own
   * @throws IllegalArgumentException if a header cannot be forwarded
   */
  static void copy(UpstreamRequest response, MultiMap to, List<Header> limits) {
    ResponseHeaderFilter way = new ResponseHeaderFilter(to, limits);
    MultiMap from = response.responseHeaders();
    List<String> named = RequestHeaderFilter.named(from);
    for (var all = HeaderIteration.of(from); all.hasNext(); ) {
      Map.Entry<? extends CharSequence, ? extends CharSequence> header = all.next();
      CharSequence name = header.getKey();
      if (name.isEmpty()) {
        throw new IllegalArgumentException("a header has no name");
      }
      HeaderKind kind = HeaderKind.of(name);
      if (named.isEmpty() || !kind.mayBeNamed() || !RequestHeaderFilter.isAmong(named, name)) {
        way.take(kind, name, header.getValue());
      }
    }
    way.addOurs(RequestHeaderFilter.via(response.version()));
  }

  /**
   * Validates a status and its reason, which may be null. A control character in a reason could be
   * read as the end of the line.
   *
   * @throws IllegalArgumentException if they cannot be forwarded
   */
  static void requireStatusLine(int status, @Nullable String reason) {
    boolean isGood = status >= 100 && status <= 999;
    for (int i = 0; isGood && reason != null && i < reason.length(); i++) {
      char c = reason.charAt(i);
      isGood = c == '\t' || (c >= ' ' && c != 0x7f);
    }
    if (!isGood) {
      throw new IllegalArgumentException("the first line of a response is malformed");
    }
  }

  /** The headers of an early hints response, such as links, without hop-by-hop headers. */
  static MultiMap hints(MultiMap from) {
    MultiMap to = HttpHeaders.headers();
    List<String> named = RequestHeaderFilter.named(from);
    for (Map.Entry<String, String> hint : from) {
      if (!hint.getKey().isEmpty()
          && HeaderKind.of(hint.getKey()) == HeaderKind.PLAIN
          && !RequestHeaderFilter.isAmong(named, hint.getKey())) {
        to.add(
            hint.getKey().toLowerCase(Locale.ROOT), hint.getValue()); // HTTP/2 requires lower case
      }
    }
    return to;
  }

  private void take(HeaderKind kind, CharSequence name, CharSequence value) {
    switch (kind) {
      case HOP, CONNECTION, UPGRADE, TE -> {}
      case TRANSFER_ENCODING -> requireChunked(value);
      case VIA -> via = RequestHeaderFilter.joined(via, value);
      case RATE_LIMIT, RATE_LIMIT_POLICY, X_RATE_LIMIT -> takeLimit(kind, name, value);
      case ALLOW_ORIGIN -> {
        isForOtherOrigin = true;
        to.add(name, value);
      }
      case EXPOSED -> exposed = RequestHeaderFilter.joined(exposed, value);
      default -> {
        if (name.charAt(0) != ':') { // a pseudo-header of HTTP/2
          to.add(name, value);
        }
      }
    }
  }

  /** Refuses transfer codings other than chunked: the client would not learn of the coding. */
  private static void requireChunked(CharSequence encoding) {
    if (!encoding.toString().strip().equalsIgnoreCase("chunked")) {
      throw new IllegalArgumentException("unknown transfer coding");
    }
  }

  private void takeLimit(HeaderKind kind, CharSequence name, CharSequence value) {
    if (limits.isEmpty()) {
      to.add(name, value);
      return;
    }
    if (limitHeaderMerger == null) {
      limitHeaderMerger = new LimitHeaderMerger(limits);
    }
    limitHeaderMerger.take(kind, name.toString(), value.toString());
  }

  private void addOurs(String ourVia) {
    List<Header> limitHeaders = limitHeaderMerger == null ? limits : limitHeaderMerger.headers();
    for (int i = 0; i < limitHeaders.size(); i++) {
      to.set(HeaderNames.prepared(limitHeaders.get(i).name()), limitHeaders.get(i).value());
    }
    to.add(VIA, RequestHeaderFilter.joined(via, ourVia));
    if (isForOtherOrigin && !limitHeaders.isEmpty()) {
      exposed = Cors.exposed(exposed, limitHeaders);
    }
    if (exposed != null) {
      to.add(EXPOSED, exposed);
    }
  }
}
