package io.weir.rules.http;

import io.weir.rules.match.MalformedRequestException;

/** Which methods a front lets in. */
public final class Methods {
  private static final int LONGEST = 32;

  private Methods() {}

  /**
   * What is not registered may pass, such as {@code PURGE}, but not {@code get}, which some servers
   * take for {@code GET}; nor what is meant for proxies rather than for the server.
   *
   * @throws MalformedRequestException if it may not
   */
  public static void requireUsual(String method) {
    boolean isUsual = !method.isEmpty() && method.length() <= LONGEST;
    for (int i = 0; isUsual && i < method.length(); i++) {
      char c = method.charAt(i);
      isUsual = (c >= 'A' && c <= 'Z') || (i > 0 && (c == '-' || c == '_'));
    }
    if (!isUsual || method.equals("CONNECT") || method.equals("TRACE")) {
      throw new MalformedRequestException("this method is not passed on");
    }
  }
}
