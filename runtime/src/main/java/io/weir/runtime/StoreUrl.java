package io.weir.runtime;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/** URLs of stores. */
public final class StoreUrl {
  private static final String TIMEOUT = "timeout=";
  private static final String STATE = "state=";

  private StoreUrl() {}

  /**
   * The scheme, host and port of a URL. Credentials are left out, and so is everything after the
   * port, which may be a secret too.
   */
  public static String shown(String url) {
    int scheme = url.indexOf("://");
    if (scheme < 0) {
      return url;
    }
    String rest = url.substring(scheme + 3);
    rest = rest.substring(rest.lastIndexOf('@') + 1);
    return url.substring(0, scheme + 3) + rest.replaceFirst("[/?#].*", "");
  }

  /** Adds a parameter {@code timeout} to {@code url}, unless it has one or the store needs none. */
  static String with(Duration timeout, String url) {
    return url.contains("://") // otherwise the store is local
        ? with(TIMEOUT, timeout.toMillis() + "ms", url)
        : url;
  }

  /**
   * Adds a parameter {@code state} that names a file in {@code data}, unless the URL has one or is
   * not for Redis.
   */
  static String with(Path data, String url) {
    return url.matches("(?i)(rediss?|redis-sentinel|redis-cluster|unix)://.*")
        ? with(
            STATE,
            URLEncoder.encode(data.resolve("nodes").toString(), StandardCharsets.UTF_8)
                .replace("+", "%20"),
            url)
        : url;
  }

  private static String with(String parameter, String value, String url) {
    int hash = url.indexOf('#');
    String end = hash < 0 ? "" : url.substring(hash);
    String start = hash < 0 ? url : url.substring(0, hash);
    int queryStart = start.indexOf('?');
    String query = queryStart < 0 ? "" : start.substring(queryStart + 1);
    if (query.startsWith(parameter) || query.contains("&" + parameter)) {
      return url;
    }
    String before = queryStart < 0 ? "?" : query.isEmpty() ? "" : "&";
    return start + before + parameter + value + end;
  }
}
