package io.weir.rules.yaml;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.weir.rules.SourceLocation;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import org.jspecify.annotations.Nullable;

/** Decodes a file: UTF-8 without control characters; a byte order mark is dropped. */
public final class Utf8 {
  private static final int MAX_CONTROL_CHARACTERS = 10;

  private Utf8() {}

  /** The text; null if it has errors. */
  static @Nullable public String decode(
      String file, byte[] content, ProblemCollector problemCollector) {
    if (startsWith(content, 0xFE, 0xFF) || startsWith(content, 0xFF, 0xFE)) {
      problemCollector.error(
          new SourceLocation(file, 1, 1), "the file is UTF-16; save it as UTF-8");
      return null;
    }
    int start = startsWith(content, 0xEF, 0xBB, 0xBF) ? 3 : 0;
    ByteBuffer in = ByteBuffer.wrap(content, start, content.length - start);
    CharBuffer out = CharBuffer.allocate(content.length - start);
    CharsetDecoder decoder =
        UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPORT)
            .onUnmappableCharacter(CodingErrorAction.REPORT);
    CoderResult result = decoder.decode(in, out, true);
    String text = out.flip().toString();
    if (result.isError()) {
      problemCollector.error(
          placeAt(file, text, text.length()),
          String.format(
              "not UTF-8: byte 0x%02X at offset %d; save the file as UTF-8",
              content[in.position()], in.position()));
      return null;
    }
    return hasControlCharacters(file, text, problemCollector) ? null : text;
  }

  private static boolean startsWith(byte[] content, int... bytes) {
    if (content.length < bytes.length) {
      return false;
    }
    for (int i = 0; i < bytes.length; i++) {
      if ((content[i] & 0xFF) != bytes[i]) {
        return false;
      }
    }
    return true;
  }

  private static boolean hasControlCharacters(
      String file, String text, ProblemCollector problemCollector) {
    int found = 0;
    for (int i = 0; i < text.length() && found < MAX_CONTROL_CHARACTERS; i++) {
      char c = text.charAt(i);
      if (isControl(c)) {
        found++;
        problemCollector.error(
            placeAt(file, text, i),
            String.format(
                "control character U+%04X; remove it, or write it as an escape in double quotes",
                (int) c));
      }
    }
    return found > 0;
  }

  private static boolean isControl(char c) {
    return (c < ' ' && c != '\n' && c != '\r' && c != '\t')
        || (c >= 0x7F && c < 0xA0 && c != 0x85)
        || c >= 0xFFFE;
  }

  /** The line and column of the character at {@code index}. */
  static SourceLocation placeAt(String file, String text, int index) {
    int line = 1;
    int lineStart = 0;
    for (int i = 0; i < index; i++) {
      char c = text.charAt(i);
      if (c == '\n' || (c == '\r' && !(i + 1 < text.length() && text.charAt(i + 1) == '\n'))) {
        line++;
        lineStart = i + 1;
      }
    }
    return new SourceLocation(file, line, text.codePointCount(lineStart, index) + 1);
  }
}
