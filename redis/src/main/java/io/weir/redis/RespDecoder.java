package io.weir.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses replies of Redis (RESP2) from bytes. Not thread-safe.
 *
 * <p>Received bytes are kept in one array. An incomplete reply is parsed again from its beginning
 * when more bytes arrive, which is cheap because replies are short. The integers of a script's
 * reply go into one reused array of numbers, without any objects.
 */
final class RespDecoder {
  /*
   * Far above any real reply: a server that sends more is not Redis. They also bound the repeated
   * parsing of an endless reply.
   */
  private static final int MAX_BYTES = 4 << 20;
  private static final int MAX_BYTES_OF_NUMBERS = 64 << 10;

  private static final int MAX_DEPTH = 8;
  private static final int MAX_DIGITS = 19;
  private static final int MORE = -1;

  private byte[] bytes = new byte[16 * 1024];
  private int from;
  private int end;

  private long[] numbers = new long[64];
  private int count;
  private long header;
  private @Nullable String error;

  /** Bytes that violate the protocol. */
  static final class RespException extends Exception {
    private static final long serialVersionUID = 1;

    RespException(String message) {
      super(message, null, false, false);
    }
  }

  /** Makes room for {@code length} more bytes, which go to {@link #end}. */
  byte[] room(int length) throws RespException {
    if (from == end) {
      from = 0;
      end = 0;
    } else if (end + length > bytes.length && from > 0) {
      System.arraycopy(bytes, from, bytes, 0, end - from);
      end -= from;
      from = 0;
    }
    if (end + length > bytes.length) {
      if (end + length > MAX_BYTES) {
        throw new RespException("a reply of more than " + MAX_BYTES + " bytes");
      }
      bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, end + length));
    }
    return bytes;
  }

  int end() {
    return end;
  }

  void wrote(int length) {
    end += length;
  }

  /** Parses one reply of integers, if it is complete. */
  boolean nextNumbers() throws RespException {
    count = 0;
    error = null;
    int after = numbers(from, 0);
    if (after == MORE) {
      if (end - from > MAX_BYTES_OF_NUMBERS) {
        throw new RespException(
            "more than " + MAX_BYTES_OF_NUMBERS + " bytes where integers were expected");
      }
      return false;
    }
    from = after;
    return true;
  }

  /** The integers of the last parsed reply, in order; inner arrays are flattened. */
  long[] numbers() {
    return Arrays.copyOf(numbers, count);
  }

  /** The error that came instead of integers; null if none. */
  @Nullable String error() {
    return error;
  }

  private int numbers(int at, int depth) throws RespException {
    if (at >= end) {
      return MORE;
    }
    switch (bytes[at]) {
      case ':' -> {
        int after = header(at + 1);
        if (after != MORE) {
          add(header);
        }
        return after;
      }
      case '*' -> {
        int after = length(at + 1);
        if (depth == MAX_DEPTH) {
          throw new RespException("arrays " + depth + " deep");
        }
        for (long left = header; after != MORE && left > 0; left--) {
          after = numbers(after, depth + 1);
        }
        return after;
      }
      case '$' -> {
        int after = length(at + 1);
        if (after != MORE && header >= 0) {
          throw new RespException("a text where an integer was expected");
        }
        return after;
      }
      case '-' -> {
        int line = lineEnd(at + 1);
        if (line == MORE) {
          return MORE;
        }
        error = text(at + 1, line);
        return line + 2;
      }
      case '+' -> throw new RespException("a text where an integer was expected");
      default -> throw new RespException("a reply that begins with byte " + bytes[at]);
    }
  }

  private void add(long number) {
    if (count == numbers.length) {
      numbers = Arrays.copyOf(numbers, count * 2);
    }
    numbers[count++] = number;
  }

  /** Parses {@code 123\r\n} into {@link #header}; returns its end. */
  private int header(int at) throws RespException {
    byte[] bytes = this.bytes;
    int end = this.end;
    boolean negative = at < end && bytes[at] == '-';
    int i = negative ? at + 1 : at;
    long number = 0;
    while (i < end) {
      int digit = bytes[i] - '0';
      if (digit < 0 || digit > 9) {
        break;
      }
      number = number * 10 + digit;
      i++;
    }
    int digits = i - (negative ? at + 1 : at);
    if (digits > MAX_DIGITS || number < 0) {
      throw new RespException("a number of " + digits + " digits");
    }
    if (i + 1 >= end) {
      return MORE;
    }
    if (digits == 0 || bytes[i] != '\r' || bytes[i + 1] != '\n') {
      throw new RespException("a line that is no number");
    }
    header = negative ? -number : number;
    return i + 2;
  }

  /** {@link #header} as the length of the next part: -1 for null. */
  private int length(int at) throws RespException {
    int after = header(at);
    if (after != MORE && (header < -1 || header > MAX_BYTES)) {
      throw new RespException("a length of " + header);
    }
    return after;
  }

  /** Whether the text of {@link #header} bytes at {@code at} is incomplete. */
  private boolean isCut(int at) throws RespException {
    if (end - at < header + 2) {
      return true;
    }
    int line = at + (int) header;
    if (bytes[line] != '\r' || bytes[line + 1] != '\n') {
      throw new RespException("a text that is longer than it says");
    }
    return false;
  }

  private int lineEnd(int at) {
    for (int i = at; i + 1 < end; i++) {
      if (bytes[i] == '\r' && bytes[i + 1] == '\n') {
        return i;
      }
    }
    return MORE;
  }

  private String text(int at, int until) {
    return new String(bytes, at, until - at, StandardCharsets.UTF_8);
  }

  private @Nullable Object value;

  /**
   * Parses one reply of any form, if it is complete: see {@link #value}. Creates objects, so it is
   * only for the few commands besides calls.
   */
  boolean nextValue() throws RespException {
    int after = value(from, 0);
    if (after == MORE) {
      value = null;
      return false;
    }
    from = after;
    return true;
  }

  /** A Long, a String, a List of such, an {@link ErrorReply}, or null. */
  @Nullable Object value() {
    return value;
  }

  private int value(int at, int depth) throws RespException {
    if (at >= end) {
      return MORE;
    }
    switch (bytes[at]) {
      case ':' -> {
        int after = header(at + 1);
        value = header;
        return after;
      }
      case '*' -> {
        int after = length(at + 1);
        if (depth == MAX_DEPTH) {
          throw new RespException("arrays " + depth + " deep");
        }
        List<@Nullable Object> list = new ArrayList<>();
        for (long left = header; after != MORE && left > 0; left--) {
          after = value(after, depth + 1);
          list.add(value);
        }
        value = list;
        return after;
      }
      case '$' -> {
        int after = length(at + 1);
        value = null;
        if (after == MORE || header < 0) {
          return after;
        }
        if (isCut(after)) {
          return MORE;
        }
        value = text(after, after + (int) header);
        return after + (int) header + 2;
      }
      case '+', '-' -> {
        int line = lineEnd(at + 1);
        if (line == MORE) {
          return MORE;
        }
        String text = text(at + 1, line);
        value = bytes[at] == '-' ? new ErrorReply(text) : text;
        return line + 2;
      }
      default -> throw new RespException("a reply that begins with byte " + bytes[at]);
    }
  }

  boolean isEmpty() {
    return from == end;
  }
}
