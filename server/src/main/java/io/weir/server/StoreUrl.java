package io.weir.server;

import java.time.Duration;

/** The URL of a store with the deadline that the settings give it. */
final class StoreUrl {
  private static final String PARAMETER = "timeout=";

  private StoreUrl() {}

  /** {@code url} with a parameter {@code timeout}, unless it has one, or the store needs none. */
  static String with(Duration timeout, String url) {
    if (!url.contains("://")) {
      return url; // in this process
    }
    int hash = url.indexOf('#');
    String end = hash < 0 ? "" : url.substring(hash);
    String start = hash < 0 ? url : url.substring(0, hash);
    int question = start.indexOf('?');
    String query = question < 0 ? "" : start.substring(question + 1);
    if (query.startsWith(PARAMETER) || query.contains("&" + PARAMETER)) {
      return url;
    }
    String before = question < 0 ? "?" : query.isEmpty() ? "" : "&";
    return start + before + PARAMETER + timeout.toMillis() + "ms" + end;
  }
}
