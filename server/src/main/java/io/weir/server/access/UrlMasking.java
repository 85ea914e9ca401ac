package io.weir.server.access;

/**
 * Masks possible credentials in targets and referrers: the values of a query, the user of a URL.
 */
final class UrlMasking {
  private static final String HIDDEN = "***";

  private UrlMasking() {}

  /**
   * Masks like {@code /a?b=***}. Parameter names stay; a parameter without a value is masked as a
   * whole.
   */
  static String target(String target) {
    int query = target.indexOf('?');
    String path = withoutUser(query < 0 ? target : target.substring(0, query));
    return query < 0 ? withoutFragment(path) : path + "?" + query(target.substring(query + 1));
  }

  /** The path of a target. */
  static String path(String target) {
    int query = target.indexOf('?');
    return withoutFragment(withoutUser(query < 0 ? target : target.substring(0, query)));
  }

  /** The query of a target, masked; empty if there is none. */
  static String queryOf(String target) {
    int query = target.indexOf('?');
    return query < 0 ? "" : query(target.substring(query + 1));
  }

  private static String query(String raw) {
    String query = withoutFragment(raw);
    StringBuilder masked = new StringBuilder();
    for (String part : query.split("&", -1)) {
      int equals = part.indexOf('=');
      if (masked.length() > 0) {
        masked.append('&');
      }
      if (equals >= 0) {
        masked.append(part, 0, equals + 1).append(HIDDEN);
      } else if (!part.isEmpty()) {
        masked.append(HIDDEN);
      }
    }
    return masked.toString();
  }

  private static String withoutFragment(String text) {
    int fragment = text.indexOf('#');
    return fragment < 0 ? text : text.substring(0, fragment);
  }

  /** Removes the user of a URL like {@code http://user:password@host/}. */
  private static String withoutUser(String url) {
    int host = url.indexOf("://");
    if (host < 0) {
      return url;
    }
    int end = url.indexOf('/', host + 3);
    int at = url.lastIndexOf('@', end < 0 ? url.length() : end);
    return at < host ? url : url.substring(0, host + 3) + HIDDEN + url.substring(at);
  }
}
