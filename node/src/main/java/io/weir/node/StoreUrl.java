package io.weir.node;

import java.time.Duration;

/** URLs of stores. */
public final class StoreUrl {
  private static final String PARAMETER = "timeout=";

  private StoreUrl() {}

  /** Where it is, and nothing of who may ask it: what is behind the host may be a secret too. */
  public static String shown(String url) {
    int scheme = url.indexOf("://");
    if (scheme < 0) {
      return url;
    }
    String rest = url.substring(scheme + 3);
    rest = rest.substring(rest.lastIndexOf('@') + 1);
    return url.substring(0, scheme + 3) + rest.replaceFirst("[/?#].*", "");
  }

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
