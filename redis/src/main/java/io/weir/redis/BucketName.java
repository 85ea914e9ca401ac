package io.weir.redis;

import io.weir.Limit;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;

/**
 * The name of a bucket in Redis: {@code weir:login:t60000:{ann}} is that of the caller {@code ann}
 * under the limiter {@code login} and its token bucket per minute.
 */
final class BucketName {
  /*
   *     PREFIX:NAME:SUFFIX:{KEY}
   *
   * The suffix is the same for limits that share their buckets: the algorithm and the period. Redis
   * hashes the key in braces, so all limits of a caller are in one slot.
   *
   * Different keys have different names. Ambiguous characters are escaped: braces, percent signs
   * and control characters as %7B, and half a surrogate pair, which has no UTF-8, as %uD800. The
   * empty key is just %. A name of more than 128 bytes becomes # and 128 bits of its hash; no other
   * name begins with #.
   */

  private static final int MAX_BYTES = 128;
  private static final int HASH_BYTES = 16;
  private static final byte[] EMPTY = {'%'};
  private static final byte[] HEX = "0123456789ABCDEF".getBytes(StandardCharsets.US_ASCII);

  private final byte[] start;

  /**
   * The names under one limit.
   *
   * @param prefix of all names of the store
   * @param name the limiter's
   */
  BucketName(String prefix, String name, Limit limit) {
    this(prefix, name, suffix(limit));
  }

  /** The names of the sums of grants that nodes have sent for keys of the limiter {@code name}. */
  static BucketName ofSum(String prefix, String name) {
    return new BucketName(prefix, name, "sum");
  }

  private BucketName(String prefix, String name, String suffix) {
    for (int i = 0; i < prefix.length(); i++) {
      char c = prefix.charAt(i);
      if (c == '{' || c == '}' || Character.isISOControl(c) || Character.isSurrogate(c)) {
        throw new IllegalArgumentException(
            "prefix must be without braces and control characters, but is '" + prefix + "'");
      }
    }
    start =
        join(
            (prefix + ":").getBytes(StandardCharsets.UTF_8),
            escape(name, true),
            new byte[] {':'},
            escape(suffix, true),
            new byte[] {':', '{'});
  }

  private static String suffix(Limit limit) {
    if (limit instanceof Limit.TokenBucket bucket) {
      return "t" + bucket.period().toMillis();
    } else if (limit instanceof Limit.LeakyBucket bucket) {
      return "l" + bucket.period().toMillis();
    } else if (limit instanceof Limit.FixedWindow window) {
      return window.span() instanceof Limit.Length length
          ? "f" + length.period().toMillis()
          : "f" + window.span().toString().replace("calendar ", "") + "@" + window.zone();
    } else if (limit instanceof Limit.SlidingWindow window) {
      return "w" + window.period().toMillis();
    } else if (limit instanceof Limit.SlidingEpochs epochs) {
      return "e" + epochs.period().toMillis() + "x" + epochs.epochs();
    }
    return "g" + ((Limit.SlidingLog) limit).period().toMillis();
  }

  /** The part of a name for {@code key}; computed once for all limits. */
  static byte[] tag(String key) {
    return escape(key, false);
  }

  /** The bucket of the caller with {@code tag}. */
  byte[] of(byte[] tag) {
    byte[] name = Arrays.copyOf(start, start.length + tag.length + 1);
    System.arraycopy(tag, 0, name, start.length, tag.length);
    name[name.length - 1] = '}';
    return name;
  }

  @SuppressWarnings("deprecation") // the fastest conversion of ASCII to bytes
  private static byte[] escape(String text, boolean colons) {
    int length = text.length();
    if (length == 0) {
      return EMPTY;
    }
    for (int i = 0; i < length; i++) {
      if (!isPlain(text.charAt(i), colons)) {
        return escapeAll(text, colons);
      }
    }
    if (length > MAX_BYTES || text.charAt(0) == '#') {
      return escapeAll(text, colons);
    }
    byte[] plain = new byte[length];
    text.getBytes(0, length, plain, 0);
    return plain;
  }

  private static boolean isPlain(char c, boolean colons) {
    return c >= ' ' && c < 0x7F && c != '%' && c != '{' && c != '}' && (c != ':' || !colons);
  }

  private static byte[] escapeAll(String text, boolean colons) {
    StringBuilder escaped = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (isPlain(c, colons) && !(c == '#' && i == 0)) {
        escaped.append(c);
      } else if (c < 0xA0) {
        escaped.append('%').append((char) HEX[c >> 4]).append((char) HEX[c & 15]);
      } else if (isPair(text, i)) {
        escaped.append(c).append(text.charAt(++i));
      } else if (Character.isSurrogate(c)) {
        escaped.append("%u").append(Integer.toHexString(c).toUpperCase(Locale.ROOT));
      } else {
        escaped.append(c);
      }
    }
    byte[] bytes = escaped.toString().getBytes(StandardCharsets.UTF_8);
    return bytes.length <= MAX_BYTES ? bytes : hash(bytes);
  }

  private static boolean isPair(String text, int i) {
    return i + 1 < text.length() && Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1));
  }

  private static byte[] hash(byte[] bytes) {
    try {
      byte[] sha = MessageDigest.getInstance("SHA-256").digest(bytes);
      return ("#" + HexFormat.of().formatHex(sha, 0, HASH_BYTES))
          .getBytes(StandardCharsets.US_ASCII);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private static byte[] join(byte[]... parts) {
    int length = 0;
    for (byte[] part : parts) {
      length += part.length;
    }
    byte[] all = new byte[length];
    int at = 0;
    for (byte[] part : parts) {
      System.arraycopy(part, 0, all, at, part.length);
      at += part.length;
    }
    return all;
  }

  @Override
  public String toString() {
    return new String(start, StandardCharsets.UTF_8);
  }
}
