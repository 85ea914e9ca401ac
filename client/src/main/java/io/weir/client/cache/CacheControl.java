package io.weir.client.cache;

import java.net.http.HttpHeaders;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;

/** The directives of {@code Cache-Control}. Ambiguous values are read so that less is cached. */
final class CacheControl {
  private static final int MAX_DIRECTIVES = 64;

  private final Map<String, String> directives = new HashMap<>();

  private CacheControl() {}

  static CacheControl of(HttpHeaders headers) {
    CacheControl all = new CacheControl();
    for (String line : headers.allValues("Cache-Control")) {
      for (String each : line.split(",", MAX_DIRECTIVES)) {
        int equals = each.indexOf('=');
        String name = (equals < 0 ? each : each.substring(0, equals)).strip();
        String value = equals < 0 ? "" : each.substring(equals + 1).strip().replace("\"", "");
        all.directives.putIfAbsent(name.toLowerCase(Locale.ROOT), value);
      }
    }
    return all;
  }

  boolean has(String name) {
    return directives.containsKey(name);
  }

  /** Seconds; empty if absent. A value that is not a number is 0, which counts as stale. */
  OptionalLong seconds(String name) {
    String value = directives.get(name);
    if (value == null) {
      return OptionalLong.empty();
    }
    boolean isNumber = !value.isEmpty() && value.chars().allMatch(c -> c >= '0' && c <= '9');
    if (!isNumber) {
      return OptionalLong.of(0);
    }
    return OptionalLong.of(value.length() > 9 ? Integer.MAX_VALUE : Long.parseLong(value));
  }
}
