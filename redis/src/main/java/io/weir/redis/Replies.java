package io.weir.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that Redis sends (RESP2), read as replies.
 *
 * <p>What has come is kept in one array; a reply that is not yet whole is read again from its
 * beginning when more has come, which is cheap because replies are short. The integers of a
 * script's reply go straight into one reused array of numbers, without an object for any of them.
 */
final class Replies {
  /*
   * No reply comes near these: who sends more is no Redis. They also bound how much is read again
   * and again of a reply that never ends.
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

  /** Bytes that do not follow the protocol. */
  static final class Garbled extends Exception {
    private static final long serialVersionUID = 1;

    Garbled(String message) {
      super(message, null, false, false);
    }
  }

  /** Where {@code length} more bytes may be written, beginning at {@link #end}. */
  byte[] room(int length) throws Garbled {
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
        throw new Garbled("a reply of more than " + MAX_BYTES + " bytes");
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

  /** Reads one reply made of integers, if a whole one is there. */
  boolean nextNumbers() throws Garbled {
    count = 0;
    error = null;
    int after = numbers(from, 0);
    if (after == MORE) {
      if (end - from > MAX_BYTES_OF_NUMBERS) {
        throw new Garbled(
            "more than " + MAX_BYTES_OF_NUMBERS + " bytes where integers were expected");
      }
      return false;
    }
    from = after;
    return true;
  }

  /** The integers of the reply just read, in order, those of inner arrays in their place. */
  long[] numbers() {
    return Arrays.copyOf(numbers, count);
  }

  /** What was said instead of integers. */
  @Nullable String error() {
    return error;
  }

  private int numbers(int at, int depth) throws Garbled {
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
          throw new Garbled("arrays " + depth + " deep");
        }
        for (long left = header; after != MORE && left > 0; left--) {
          after = numbers(after, depth + 1);
        }
        return after;
      }
      case '$' -> {
        int after = length(at + 1);
        if (after != MORE && header >= 0) {
          throw new Garbled("a text where an integer was expected");
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
      case '+' -> throw new Garbled("a text where an integer was expected");
      default -> throw new Garbled("a reply that begins with byte " + bytes[at]);
    }
  }

  private void add(long number) {
    if (count == numbers.length) {
      numbers = Arrays.copyOf(numbers, count * 2);
    }
    numbers[count++] = number;
  }

  /** Reads {@code 123\r\n} into {@link #header}; answers where it ends. */
  private int header(int at) throws Garbled {
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
      throw new Garbled("a number of " + digits + " digits");
    }
    if (i + 1 >= end) {
      return MORE;
    }
    if (digits == 0 || bytes[i] != '\r' || bytes[i + 1] != '\n') {
      throw new Garbled("a line that is no number");
    }
    header = negative ? -number : number;
    return i + 2;
  }

  /** {@link #header}, as the length of what follows: -1 if there is nothing. */
  private int length(int at) throws Garbled {
    int after = header(at);
    if (after != MORE && (header < -1 || header > MAX_BYTES)) {
      throw new Garbled("a length of " + header);
    }
    return after;
  }

  /** Whether the text of {@link #header} bytes from {@code at} on has not come whole. */
  private boolean isCut(int at) throws Garbled {
    if (end - at < header + 2) {
      return true;
    }
    int line = at + (int) header;
    if (bytes[line] != '\r' || bytes[line + 1] != '\n') {
      throw new Garbled("a text that is longer than it says");
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
   * Reads one reply of any shape, if a whole one is there: see {@link #value}. For the few
   * questions around the calls; makes an object of everything.
   */
  boolean nextValue() throws Garbled {
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

  private int value(int at, int depth) throws Garbled {
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
          throw new Garbled("arrays " + depth + " deep");
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
      default -> throw new Garbled("a reply that begins with byte " + bytes[at]);
    }
  }

  boolean isEmpty() {
    return from == end;
  }
}
