package io.weir.rules.http;

import io.weir.rules.match.MalformedRequestException;

/** Checks which methods a front end accepts. */
public final class Methods {
  private static final int MAX_LENGTH = 32;

  private Methods() {}

  /**
   * Accepts unregistered methods such as {@code PURGE}. Rejects {@code get}, because some servers
   * read it as {@code GET}, and methods that are meant for proxies.
   *
   * @throws MalformedRequestException if the method is rejected
   */
  public static void requireUsual(String method) {
    boolean isUsual = !method.isEmpty() && method.length() <= MAX_LENGTH;
    for (int i = 0; isUsual && i < method.length(); i++) {
      char c = method.charAt(i);
      isUsual = (c >= 'A' && c <= 'Z') || (i > 0 && (c == '-' || c == '_'));
    }
    if (!isUsual || method.equals("CONNECT") || method.equals("TRACE")) {
      throw new MalformedRequestException("this method is not passed on");
    }
  }
}
