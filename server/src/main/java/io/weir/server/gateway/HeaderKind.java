package io.weir.server.gateway;

import io.weir.server.connection.ForwardingHeaders;
import java.util.Locale;

/**
 * How the gateway treats a header. The lookup ignores case and creates no string, because it runs
 * for each header of each request and response.
 */
enum HeaderKind {
  /** Forwarded unchanged. */
  PLAIN,
  /** Hop-by-hop: not forwarded. */
  HOP("keep-alive", "proxy", "proxy-authenticate", "proxy-authorization", "proxy-connection"),
  /** Makes some servers wait for bytes that are never sent. */
  OLD_WEB_SOCKET("sec-websocket-key1", "sec-websocket-key2"),
  CONNECTION("connection"),
  UPGRADE("upgrade", "http2-settings"),
  TE("te"),
  TRAILER("trailer"),
  /** Frames the message. */
  CONTENT_LENGTH("content-length"),
  TRANSFER_ENCODING("transfer-encoding"),
  HOST("host"),
  VIA("via"),
  /** Reports the client or the original request to servers. */
  CLAIM(ForwardingHeaders.OF_OTHERS.toArray(new String[0])),
  FORWARDED_FOR("x-forwarded-for"),
  FORWARDED_HOST("x-forwarded-host"),
  FORWARDED_PROTO("x-forwarded-proto"),
  FORWARDED("forwarded"),
  /** Reports limits. */
  RATE_LIMIT("ratelimit"),
  RATE_LIMIT_POLICY("ratelimit-policy"),
  X_RATE_LIMIT(
      "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset", "x-ratelimit-retry-after"),
  /** CORS: controls what pages may read. */
  ALLOW_ORIGIN("access-control-allow-origin"),
  EXPOSED("access-control-expose-headers");

  private final String[] names;

  HeaderKind(String... names) {
    this.names = names;
  }

  /** The kind of a header. */
  static HeaderKind of(CharSequence name) {
    int length = name.length();
    if (length == 0) {
      return PLAIN;
    }
    int at = Table.slot(length, name.charAt(0), name.charAt(length - 1));
    for (String known = Table.NAMES[at]; known != null; known = Table.NAMES[at]) {
      if (known.length() == length && isSame(known, name)) {
        return Table.KINDS[at];
      }
      at = (at + 1) & Table.MASK;
    }
    return PLAIN;
  }

  private static boolean isSame(String lowerCase, CharSequence name) {
    for (int i = 0; i < lowerCase.length(); i++) {
      char c = name.charAt(i);
      if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != lowerCase.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Whether {@code Connection} may name it as hop-by-hop; not what frames a message. */
  boolean mayBeNamed() {
    return switch (this) {
      case CONTENT_LENGTH, TRANSFER_ENCODING, HOST -> false;
      default -> true;
    };
  }

  /**
   * Whether a request that names it in {@code Connection} is refused. Without the header, the body
   * would have another end, or the server would not get the client address.
   */
  boolean isNeeded() {
    return switch (this) {
      case CONTENT_LENGTH,
          TRANSFER_ENCODING,
          HOST,
          CLAIM,
          FORWARDED,
          FORWARDED_FOR,
          FORWARDED_HOST,
          FORWARDED_PROTO ->
          true;
      default -> false;
    };
  }

  /** A hash table of names by length, first and last character, with open addressing. */
  private static final class Table {
    static final int MASK = 255;
    static final String[] NAMES = new String[MASK + 1];
    static final HeaderKind[] KINDS = new HeaderKind[MASK + 1];

    static {
      for (HeaderKind kind : values()) {
        for (String name : kind.names) {
          add(name.toLowerCase(Locale.ROOT), kind);
        }
      }
    }

    static void add(String name, HeaderKind kind) {
      int at = slot(name.length(), name.charAt(0), name.charAt(name.length() - 1));
      while (NAMES[at] != null) {
        at = (at + 1) & MASK;
      }
      NAMES[at] = name;
      KINDS[at] = kind;
    }

    static int slot(int length, char first, char last) {
      return (length * 37 + (first | 0x20) * 11 + (last | 0x20) * 5) & MASK;
    }
  }
}
