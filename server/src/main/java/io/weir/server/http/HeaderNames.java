package io.weir.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.util.AsciiString;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Header names in encoded form, with precomputed bytes and hashes. */
public final class HeaderNames {
  private static final Map<String, AsciiString> PREPARED =
      Stream.of(
              "Content-Type",
              "Cache-Control",
              "Retry-After",
              "RateLimit",
              "RateLimit-Policy",
              "X-RateLimit-Limit",
              "X-RateLimit-Remaining",
              "X-RateLimit-Reset",
              "X-RateLimit-Retry-After")
          .collect(Collectors.toUnmodifiableMap(Function.identity(), AsciiString::cached));

  private HeaderNames() {}

  /** The encoded name if it is a frequent one, else the name itself. */
  public static CharSequence prepared(String name) {
    CharSequence known = PREPARED.get(name);
    return known == null ? name : known;
  }

  /** The bytes of a name; must not be modified. */
  public static byte[] bytes(String name) {
    AsciiString known = PREPARED.get(name);
    return known == null ? name.getBytes(US_ASCII) : known.array();
  }
}
