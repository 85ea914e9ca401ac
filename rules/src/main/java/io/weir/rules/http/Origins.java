package io.weir.rules.http;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The web pages that may read what they are told of limits: a browser shows a page of another
 * origin only those responses and headers that say so.
 *
 * @param allowed whose pages may read refusals; {@code *}: all
 */
public record Origins(List<String> allowed) {
  /** No page of another origin may. */
  public static final Origins NONE = new Origins(List.of());

  private static final String ANY = "*";

  /** Copies the list. */
  public Origins {
    allowed = List.copyOf(allowed);
  }

  /** Whether there is none. */
  public boolean isEmpty() {
    return allowed.isEmpty();
  }

  /**
   * {@code told} and, where a page of an allowed origin asks, what makes it readable.
   *
   * @param origin the request's {@code Origin}; null if it has none
   */
  public List<Header> with(List<Header> told, @Nullable String origin) {
    boolean isAny = allowed.contains(ANY);
    if (origin == null || !(isAny || allowed.contains(origin))) {
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
  public static String exposed(@Nullable String before, List<Header> told) {
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
