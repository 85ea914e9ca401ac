package io.weir.bench.redis;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A recorded script call, to be repeated for other callers.
 *
 * @param words the command and its arguments
 * @param caller the caller's key, as it occurs in one of them
 */
record RecordedCall(List<byte[]> words, String caller) {
  /**
   * Parses a line of {@code MONITOR}: a time, the client, and the words in quotes.
   *
   * @return null if it is not a call of a script for {@code caller}
   */
  static RecordedCall of(String monitored, String caller) {
    int first = monitored.indexOf("] \"");
    if (first < 0 || !monitored.contains(caller)) {
      return null;
    }
    List<byte[]> words = new ArrayList<>();
    for (int i = first + 2; i < monitored.length(); i++) {
      ByteArrayOutputStream word = new ByteArrayOutputStream();
      for (i++; monitored.charAt(i) != '"'; i++) {
        char c = monitored.charAt(i);
        if (c != '\\') {
          word.write(c);
          continue;
        }
        char escaped = monitored.charAt(++i);
        if (escaped == 'x') {
          word.write(Integer.parseInt(monitored.substring(i + 1, i + 3), 16));
          i += 2;
        } else {
          word.write(unescape(escaped));
        }
      }
      words.add(word.toByteArray());
      i++;
    }
    String command = new String(words.get(0), StandardCharsets.US_ASCII);
    return command.equalsIgnoreCase("evalsha") ? new RecordedCall(words, caller) : null;
  }

  private static int unescape(char escaped) {
    return switch (escaped) {
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'a' -> 7;
      case 'b' -> '\b';
      default -> escaped;
    };
  }

  /** The same call for another caller. */
  List<byte[]> by(String other) throws IOException {
    List<byte[]> changed = new ArrayList<>();
    for (byte[] word : words) {
      String text = new String(word, StandardCharsets.ISO_8859_1);
      changed.add(
          text.contains(caller)
              ? text.replace(caller, other).getBytes(StandardCharsets.ISO_8859_1)
              : word);
    }
    return changed;
  }
}
