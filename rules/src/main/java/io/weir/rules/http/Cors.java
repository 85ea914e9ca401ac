package io.weir.rules.http;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Adds CORS headers so that web pages can read rate limit headers. A browser shows a page of
 * another origin only those headers that a response exposes. Immutable.
 */
public final class Cors {
  private static final String ANY = "*";

  private final List<String> origins;

  /**
   * @param origins the origins with access to refusals, such as {@code https://shop.example};
   *     {@code *}: all
   */
  public Cors(List<String> origins) {
    this.origins = List.copyOf(origins);
  }

  /** Whether any origin is allowed. */
  public boolean isOn() {
    return !origins.isEmpty();
  }

  /**
   * The CORS headers to add beside {@code headers}; none unless the request comes from an allowed
   * origin.
   *
   * @param origin the request's {@code Origin}; null if it has none
   */
  public List<Header> of(List<Header> headers, @Nullable String origin) {
    boolean isAny = origins.contains(ANY);
    if (origin == null || !(isAny || origins.contains(origin))) {
      return List.of();
    }
    List<Header> all = new ArrayList<>(3);
    all.add(new Header("Access-Control-Allow-Origin", isAny ? ANY : origin));
    if (!isAny) {
      all.add(new Header("Vary", "Origin"));
    }
    if (!headers.isEmpty()) {
      all.add(new Header("Access-Control-Expose-Headers", exposed(null, headers)));
    }
    return all;
  }

  /** {@code headers} with the {@linkplain #of CORS headers} added. */
  public List<Header> with(List<Header> headers, @Nullable String origin) {
    List<Header> more = of(headers, origin);
    if (more.isEmpty()) {
      return headers;
    }
    List<Header> all = new ArrayList<>(headers);
    all.addAll(more);
    return all;
  }

  /** The headers exposed already, plus the missing names of {@code headers}. */
  public static String exposed(@Nullable String before, List<Header> headers) {
    StringBuilder names = new StringBuilder(before == null ? "" : before);
    for (Header header : headers) {
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
