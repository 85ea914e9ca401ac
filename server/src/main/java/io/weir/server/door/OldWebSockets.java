package io.weir.server.door;

import io.netty.util.AsciiString;

/**
 * WebSockets as a draft had them that nobody speaks any more. A request for one had eight bytes
 * behind its head that no header tells of. Some servers still wait for them, others take them for
 * the next request: so nobody may ask for one.
 */
public final class OldWebSockets {
  /** What is said of such a request. */
  public static final String REFUSAL =
      "the headers 'Sec-WebSocket-Key1' and 'Sec-WebSocket-Key2' are not understood";

  private static final AsciiString KEY1 = AsciiString.cached("sec-websocket-key1");
  private static final AsciiString KEY2 = AsciiString.cached("sec-websocket-key2");

  private OldWebSockets() {}

  /** Whether a header makes some servers wait for those bytes. */
  public static boolean isKey(CharSequence name) {
    return name.length() == KEY1.length()
        && (AsciiString.contentEqualsIgnoreCase(name, KEY1)
            || AsciiString.contentEqualsIgnoreCase(name, KEY2));
  }
}
