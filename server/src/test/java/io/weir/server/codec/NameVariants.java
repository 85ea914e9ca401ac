package io.weir.server.codec;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Header names that differ by one byte from those that decoders recognise. */
public final class NameVariants {
  /**
   * Names that the decoders or headers of Netty or Vert.x compare with, and names that determine
   * the length of a message or the life of its connection. Each has a value that has an effect.
   */
  public static final List<List<String>> SPECIAL =
      List.of(
          List.of("Content-Length", "33"),
          List.of("Transfer-Encoding", "chunked"),
          List.of("Connection", "close"),
          List.of("Content-Type", "text/plain"),
          List.of("Host", "b"),
          List.of("Accept", "text/html"),
          List.of("Expect", "100-continue"),
          List.of("Upgrade", "h2c"),
          List.of("Trailer", "X-Sum"),
          List.of("Keep-Alive", "timeout=1"),
          List.of("Proxy-Connection", "close"),
          List.of("HTTP2-Settings", "AAMAAABkAAQAoAAAAAIAAAAA"),
          List.of("Sec-WebSocket-Key1", "1"));

  private static final String SEPARATORS = "\"(),/:;<=>?@[\\]{}";

  private NameVariants() {}

  /** A name and the value to send with it. */
  public record Header(String name, String value) {}

  /** Every byte at every position, also those that no name may have. */
  public static List<Header> all() {
    List<Header> all = new ArrayList<>();
    for (List<String> each : SPECIAL) {
      byte[] name = each.get(0).getBytes(StandardCharsets.ISO_8859_1);
      for (int i = 0; i < name.length; i++) {
        for (int value = 0; value < 256; value++) {
          byte[] changed = name.clone();
          changed[i] = (byte) value;
          all.add(new Header(new String(changed, StandardCharsets.ISO_8859_1), each.get(1)));
        }
      }
    }
    return all;
  }

  /**
   * Some that are ordinary headers, by a seed; the one that was found first is always there.
   *
   * @param count how many
   */
  public static List<Header> ordinary(long seed, int count) {
    List<Header> all = new ArrayList<>(all());
    all.removeIf(each -> !isName(each.name()) || each.name().contains("_") || isSpecial(each));
    Collections.shuffle(all, new Random(seed));
    List<Header> some = new ArrayList<>(all.subList(0, count));
    some.add(new Header("Content-Xength", "33"));
    some.add(new Header("Content-Xype", "text/plain"));
    return some;
  }

  /** Whether decoders should recognise it. */
  public static boolean isSpecial(Header header) {
    return SPECIAL.stream().anyMatch(each -> each.get(0).equalsIgnoreCase(header.name()))
        || header.name().equalsIgnoreCase("Sec-WebSocket-Key2");
  }

  /** Whether it is a token, as RFC 9110 has it. */
  public static boolean isName(String text) {
    return text.chars().allMatch(c -> c > ' ' && c < 0x7f && SEPARATORS.indexOf(c) < 0);
  }
}
