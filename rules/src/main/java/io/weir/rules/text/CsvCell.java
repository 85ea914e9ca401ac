package io.weir.rules.text;

import java.nio.charset.StandardCharsets;

/**
 * A cell of comma-separated values in UTF-8, as in RFC 4180. A cell that begins with a quote ends
 * with one: between them, commas and line ends are text, and a quote is doubled. Any other cell
 * ends before the next comma or line end.
 */
public final class CsvCell {
  private final byte[] bytes;
  private final int from;
  private int to;
  private int end = -1;
  private int lineEnds;

  /** Finds the cell that begins at {@code start}, which ends at {@code limit} at the latest. */
  public CsvCell(byte[] bytes, int start, int limit) {
    this.bytes = bytes;
    boolean isQuoted = start < limit && bytes[start] == '"';
    this.from = isQuoted ? start + 1 : start;
    if (isQuoted) {
      findQuote(limit);
    } else {
      int at = start;
      while (at < limit && bytes[at] != ',' && bytes[at] != '\n') {
        at++;
      }
      to = at;
      end = at;
    }
  }

  private void findQuote(int limit) {
    boolean isDoubled = false;
    for (int at = from; at < limit; at++) {
      if (bytes[at] == '\n') {
        lineEnds++;
      } else if (bytes[at] == '"') {
        if (at + 1 == limit || bytes[at + 1] != '"') {
          to = isDoubled ? ~at : at;
          end = at + 1;
          return;
        }
        isDoubled = true;
        at++;
      }
    }
  }

  /** Whether it ends; a cell without a closing quote does not. */
  public boolean isClosed() {
    return end >= 0;
  }

  /** The index of its first byte, after the quote. */
  public int from() {
    return from;
  }

  /** The index after its last byte, before the quote; {@code ~to} if it has doubled quotes. */
  public int to() {
    return to;
  }

  /** The index after the cell and its quotes. */
  public int end() {
    return end;
  }

  /** How many line ends it contains. */
  public int lineEnds() {
    return lineEnds;
  }

  /** Its text. */
  public String text() {
    return text(bytes, from, to);
  }

  /** The text of a cell with these {@link #from} and {@link #to}. */
  public static String text(byte[] bytes, int from, int to) {
    if (to >= 0) {
      return new String(bytes, from, to - from, StandardCharsets.UTF_8);
    }
    byte[] undoubled = new byte[~to - from];
    int length = 0;
    for (int i = from; i < ~to; i++) {
      undoubled[length++] = bytes[i];
      if (bytes[i] == '"') {
        i++;
      }
    }
    return new String(undoubled, 0, length, StandardCharsets.UTF_8);
  }
}
