package io.weir.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.util.AsciiString;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Names of headers in the form that is written to the wire: their bytes and hashes are known. */
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

  /** The name, in that form if it is one that is often sent. */
  public static CharSequence prepared(String name) {
    CharSequence known = PREPARED.get(name);
    return known == null ? name : known;
  }

  /** The bytes of a name; not to be changed. */
  public static byte[] bytes(String name) {
    AsciiString known = PREPARED.get(name);
    return known == null ? name.getBytes(US_ASCII) : known.array();
  }
}
