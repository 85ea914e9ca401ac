package io.weir.rules.http;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lets web pages read what they are told of limits: a browser shows a page of another origin only
 * those headers that a response names.
 */
public final class Cors {
  private static final String ANY = "*";

  private final List<String> origins;

  /**
   * @param origins whose pages may read refusals, such as {@code https://shop.example}; {@code *}:
   *     all
   */
  public Cors(List<String> origins) {
    this.origins = List.copyOf(origins);
  }

  /** Whether it has something to say to anybody. */
  public boolean isOn() {
    return !origins.isEmpty();
  }

  /**
   * What makes a response readable, beside {@code told}; nothing unless a page of an allowed origin
   * asks.
   *
   * @param origin the request's {@code Origin}; null if it has none
   */
  public List<Header> of(List<Header> told, @Nullable String origin) {
    boolean isAny = origins.contains(ANY);
    if (origin == null || !(isAny || origins.contains(origin))) {
      return List.of();
    }
    List<Header> all = new ArrayList<>(3);
    all.add(new Header("Access-Control-Allow-Origin", isAny ? ANY : origin));
    if (!isAny) {
      all.add(new Header("Vary", "Origin"));
    }
    if (!told.isEmpty()) {
      all.add(new Header("Access-Control-Expose-Headers", exposed(null, told)));
    }
    return all;
  }

  /** {@code told} and {@linkplain #of what makes it readable}. */
  public List<Header> with(List<Header> told, @Nullable String origin) {
    List<Header> more = of(told, origin);
    if (more.isEmpty()) {
      return told;
    }
    List<Header> all = new ArrayList<>(told);
    all.addAll(more);
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
