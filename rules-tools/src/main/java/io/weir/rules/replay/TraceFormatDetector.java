package io.weir.rules.replay;

import io.weir.rules.text.Excerpt;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The format of a trace, detected from its first bytes.
 *
 * @param end where its rows begin
 * @param line the line number of the first row
 */
record TraceFormatDetector(Layout layout, int end, long line) {
  private static final int MAX_LINES = 100;

  /**
   * Detects the format.
   *
   * @throws InvalidTraceException if the format is unknown
   */
  static TraceFormatDetector of(String name, byte[] bytes, int count) {
    int from = startsWith(bytes, count, 0xEF, 0xBB, 0xBF) ? 3 : 0;
    String packed = packing(bytes, count);
    if (packed != null) {
      throw new InvalidTraceException(
          name + ": is compressed by " + packed + "; only gzip is understood, so unpack it first");
    }
    if (startsWith(bytes, count, 0xFF, 0xFE) || startsWith(bytes, count, 0xFE, 0xFF)) {
      throw new InvalidTraceException(name + ": is written in UTF-16; only UTF-8 is understood");
    }
    int start = from;
    long line = 1;
    while (start < count && (bytes[start] == '\n' || bytes[start] == '\r')) {
      line += bytes[start++] == '\n' ? 1 : 0;
    }
    if (start == count) {
      throw new InvalidTraceException(name + ": is empty");
    }
    CsvLayout.Header header = CsvLayout.header(bytes, start, count);
    if (header != null && header.end() == bytes.length && bytes[count - 1] != '\n') {
      throw new InvalidTraceException(
          name + ":" + line + ": the first line is longer than " + bytes.length + " bytes");
    }
    if (header != null && header.names().contains("time")) {
      return csv(name, header, line);
    }
    if (hasLogLine(bytes, start, count)) {
      return new TraceFormatDetector(new LogLayout(), start, line);
    }
    if (header != null && header.names().size() > 1) {
      return csv(name, header, line);
    }
    int end = endOfLine(bytes, start, count);
    throw new InvalidTraceException(
        name
            + (":" + line)
            + ": neither a CSV file with a header line that names a column 'time', nor an access"
            + " log in the common or combined format; the first line is: "
            + Excerpt.of(bytes, start, end)
            + (hasOtherSeparator(bytes, start, end) ? " (columns are separated by commas)" : ""));
  }

  private static TraceFormatDetector csv(String name, CsvLayout.Header header, long line) {
    try {
      return new TraceFormatDetector(
          CsvLayout.of(header.names()), header.end(), line + header.lines());
    } catch (IllegalArgumentException e) {
      throw new InvalidTraceException(name + ":" + line + ": " + e.getMessage());
    }
  }

  private static boolean hasOtherSeparator(byte[] bytes, int start, int end) {
    String text = new String(bytes, start, end - start, StandardCharsets.UTF_8);
    return List.of(text.split("[;\t|]")).stream().map(String::strip).anyMatch("time"::equals);
  }

  private static boolean hasLogLine(byte[] bytes, int start, int count) {
    LogLayout log = new LogLayout();
    BadLineCounter ignored = new BadLineCounter();
    Block block = new Block(log, new boolean[log.cells()], bytes, 1);
    int from = start;
    for (int lines = 0; lines < MAX_LINES && from < count && block.rows() == 0; lines++) {
      int end = endOfLine(bytes, from, count);
      log.read(block, from, end, true, ignored);
      from = end + 1;
    }
    return block.rows() > 0;
  }

  private static int endOfLine(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && bytes[at] != '\n') {
      at++;
    }
    return at;
  }

  private static @Nullable String packing(byte[] bytes, int count) {
    if (startsWith(bytes, count, 0x28, 0xB5, 0x2F, 0xFD)) {
      return "zstd";
    }
    if (startsWith(bytes, count, 'P', 'K', 3, 4)) {
      return "zip";
    }
    if (startsWith(bytes, count, 'B', 'Z', 'h')) {
      return "bzip2";
    }
    return startsWith(bytes, count, 0xFD, '7', 'z', 'X', 'Z', 0) ? "xz" : null;
  }

  private static boolean startsWith(byte[] bytes, int count, int... expected) {
    if (count < expected.length) {
      return false;
    }
    for (int i = 0; i < expected.length; i++) {
      if ((bytes[i] & 0xFF) != expected[i]) {
        return false;
      }
    }
    return true;
  }
}
