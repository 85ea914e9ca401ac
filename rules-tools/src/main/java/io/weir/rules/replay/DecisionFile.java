package io.weir.rules.replay;

import io.weir.rules.RequestDecision;
import io.weir.rules.RuleDecision;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Writes decisions as CSV: {@link DecisionLine#HEADER}, then a line for each request. */
public final class DecisionFile implements DecisionLine.Sink, AutoCloseable {
  private static final int BUFFER_SIZE = 1 << 16;
  private static final byte[] TRUE = "true".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] FALSE = "false".getBytes(StandardCharsets.US_ASCII);

  private final OutputStream out;
  private byte[] buffer = new byte[BUFFER_SIZE];
  private int length;

  /** Writes the header. Closing this closes {@code out}. */
  public DecisionFile(OutputStream out) throws IOException {
    this.out = out;
    text(DecisionLine.HEADER);
    put((byte) '\n');
  }

  @Override
  public void accept(DecisionLine line) throws IOException {
    RequestDecision requestDecision = line.requestDecision();
    RuleDecision deciding = line.deciding();
    number(line.epochMillis());
    put((byte) ',');
    if (deciding != null) {
      cell(deciding.rule().name());
    }
    put((byte) ',');
    if (deciding != null) {
      cell(deciding.key());
    }
    put((byte) ',');
    bytes(line.allowed() ? TRUE : FALSE);
    put((byte) ',');
    if (requestDecision != null && deciding != null) {
      number(requestDecision.remaining());
    }
    put((byte) ',');
    number(line.retryAfterMillis().orElse(-1));
    put((byte) ',');
    number(line.delayMillis());
    put((byte) '\n');
  }

  private void cell(String text) throws IOException {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == ',' || c == '"' || c == '\n' || c == '\r') {
        text('"' + text.replace("\"", "\"\"") + '"');
        return;
      }
    }
    text(text);
  }

  private void number(long number) throws IOException {
    if (number >= 0 && number < 10) {
      put((byte) ('0' + number));
    } else {
      text(Long.toString(number));
    }
  }

  private void text(String text) throws IOException {
    bytes(text.getBytes(StandardCharsets.UTF_8));
  }

  private void bytes(byte[] bytes) throws IOException {
    if (bytes.length > buffer.length - length) {
      flush();
      if (bytes.length > buffer.length) {
        out.write(bytes);
        return;
      }
    }
    System.arraycopy(bytes, 0, buffer, length, bytes.length);
    length += bytes.length;
  }

  private void put(byte b) throws IOException {
    if (length == buffer.length) {
      flush();
    }
    buffer[length++] = b;
  }

  private void flush() throws IOException {
    out.write(buffer, 0, length);
    length = 0;
  }

  @Override
  public void close() throws IOException {
    try (out) {
      flush();
    }
  }
}
