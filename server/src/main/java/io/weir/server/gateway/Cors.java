package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.http.Header;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lets web pages read what they are told of limits: a browser shows a page of another origin only
 * those headers that a response names.
 */
final class Cors {
  private static final String ANY = "*";

  private final List<String> origins;

  /**
   * @param origins whose pages may read refusals; {@code *}: all
   */
  Cors(List<String> origins) {
    this.origins = List.copyOf(origins);
  }

  /** Whether it may have something to say to a request with these headers. */
  boolean isConcerned(MultiMap headers) {
    return !origins.isEmpty() && headers.contains(HttpHeaders.ORIGIN);
  }

  /** {@code told} and, where a page of an allowed origin asks, what makes it readable. */
  List<Header> with(List<Header> told, HttpServerRequest request) {
    String origin = origins.isEmpty() ? null : request.headers().get(HttpHeaders.ORIGIN);
    boolean isAny = origins.contains(ANY);
    if (origin == null || !(isAny || origins.contains(origin))) {
      return told;
    }
    List<Header> all = new ArrayList<>(told);
    all.add(new Header("Access-Control-Allow-Origin", isAny ? ANY : origin));
    if (!isAny) {
      all.add(new Header("Vary", "Origin"));
    }
    if (!told.isEmpty()) {
      all.add(new Header("Access-Control-Expose-Headers", exposed(null, told)));
    }
    return all;
  }

  /** What is exposed already, and the names of {@code told} that are not. */
  static String exposed(@Nullable String before, List<Header> told) {
    StringBuilder names = new StringBuilder(before == null ? "" : before);
    for (Header header : told) {
      if (!isAmong(names, header.name())) {
        names.append(names.isEmpty() ? "" : ", ").append(header.name());
      }
    }
    return names.toString();
  }

  private static boolean isAmong(CharSequence names, String name) {
    for (String each : names.toString().split(",", -1)) {
      if (each.strip().equalsIgnoreCase(name)) {
        return true;
      }
    }
    return false;
  }
}
