package io.weir.server.connection;

import io.netty.util.AsciiString;

/**
 * Recognizes requests for WebSockets by an obsolete draft (hixie-76). Such a request has eight
 * bytes after its head that no header announces. Some servers still wait for these bytes, others
 * read them as the next request, so the request is refused.
 */
public final class Hixie76 {
  /** The message of the refusal. */
  public static final String REFUSAL =
      "the headers 'Sec-WebSocket-Key1' and 'Sec-WebSocket-Key2' are not supported";

  private static final AsciiString KEY1 = AsciiString.cached("sec-websocket-key1");
  private static final AsciiString KEY2 = AsciiString.cached("sec-websocket-key2");

  private Hixie76() {}

  /** Whether a header makes some servers expect those bytes. */
  public static boolean isKey(CharSequence name) {
    return name.length() == KEY1.length()
        && (AsciiString.contentEqualsIgnoreCase(name, KEY1)
            || AsciiString.contentEqualsIgnoreCase(name, KEY2));
  }
}
