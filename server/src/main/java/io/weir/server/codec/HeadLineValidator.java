package io.weir.server.codec;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Validates the lines of an HTTP/1 head before Netty's decoder reads them. That decoder skips
 * control characters before a head and around folded lines, and accepts several characters as a
 * space. Two programs that read such bytes differently may see two different messages.
 *
 * <p>A decoder calls {@link #fault} before it decodes, {@link #firstWord} and {@link #nextWord}
 * with the words of the first line, and {@link #decoded} with the decoded messages. Not
 * thread-safe; never blocks.
 */
public final class HeadLineValidator {
  private static final byte CR = '\r';
  private static final byte LF = '\n';
  private static final byte DEL = 0x7f;

  /** Whether the next byte belongs to a head or to the empty lines before one. */
  private boolean isInHead = true;

  /** Whether the first line has not been decoded yet. */
  private boolean isBeforeFirstLine = true;

  /** The end of the last word of the first line. */
  private int endOfWord;

  /**
   * The fault in the received lines of a head; null if there is none so far. Reads up to the end of
   * the head and consumes nothing.
   */
  public @Nullable String fault(ByteBuf in) {
    if (!isInHead) {
      return null;
    }
    int at = in.readerIndex();
    int end = in.writerIndex();
    if (isBeforeFirstLine) {
      while (at < end && isLineEnd(in.getByte(at))) {
        at++;
      }
      if (at < end && (isControl(in.getByte(at)) || isBlank(in.getByte(at)))) {
        return "a message begins with a character that is not printable";
      }
    }
    while (at < end) {
      int lineFeed = in.indexOf(at, end, LF);
      if (lineFeed < 0) {
        return null;
      }
      byte first = in.getByte(at);
      if (isBlank(first)) {
        if (hasControl(in, at, lineFeed)) {
          return "a folded header has a control character";
        }
      } else if (lineFeed == at || (first == CR && lineFeed == at + 1)) {
        return null; // the head ends here
      }
      at = lineFeed + 1;
    }
    return null;
  }

  private static boolean hasControl(ByteBuf in, int from, int lineFeed) {
    int end = in.getByte(lineFeed - 1) == CR ? lineFeed - 1 : lineFeed;
    for (int i = from; i < end; i++) {
      byte each = in.getByte(i);
      if (isControl(each) && !isBlank(each)) {
        return true;
      }
    }
    return false;
  }

  /** Records the first word of the first line. */
  public void firstWord(int start, int length) {
    isBeforeFirstLine = false;
    endOfWord = start + length;
  }

  /**
   * Validates the next word of the first line.
   *
   * @throws IllegalArgumentException if it is not preceded by exactly one space, or contains a
   *     control character
   */
  public void nextWord(byte[] line, int start, int length) {
    if (start != endOfWord + 1 || line[endOfWord] != ' ') {
      throw new IllegalArgumentException(
          "the words of the first line must be separated by one space");
    }
    endOfWord = start + length;
    for (int i = start; i < endOfWord; i++) {
      if (isControl(line[i])) {
        throw new IllegalArgumentException("a control character in a first line");
      }
    }
  }

  /**
   * Validates the reason of a response, which may have several words.
   *
   * @throws IllegalArgumentException if it is not preceded by a space, or contains a control
   *     character
   */
  public void reason(byte[] line, int start, int length) {
    if (line[endOfWord] != ' ') {
      throw new IllegalArgumentException("the reason must be preceded by a space");
    }
    for (int i = start; i < start + length; i++) {
      if (isControl(line[i]) && !isBlank(line[i])) {
        throw new IllegalArgumentException("a control character in a first line");
      }
    }
  }

  /**
   * Records the decoded messages.
   *
   * @param from the index in {@code out} of the first new message
   */
  public void decoded(List<Object> out, int from) {
    for (int i = from; i < out.size(); i++) {
      Object each = out.get(i);
      if (each instanceof LastHttpContent) {
        isInHead = true;
        isBeforeFirstLine = true;
      } else if (each instanceof HttpMessage) {
        isInHead = false;
      }
    }
  }

  private static boolean isLineEnd(byte each) {
    return each == CR || each == LF;
  }

  private static boolean isBlank(byte each) {
    return each == ' ' || each == '\t';
  }

  private static boolean isControl(byte each) {
    return (each >= 0 && each < ' ') || each == DEL;
  }
}
