package io.weir.rules.replay;

import java.io.IOException;
import java.io.InputStream;

/**
 * A stream of bytes as on disk: its first bytes can be inspected, and the bytes read are counted.
 */
final class RawInput extends InputStream {
  private final InputStream in;
  private final byte[] buffer = new byte[1 << 16];
  private int from;
  private int to;
  private long count;

  RawInput(InputStream in) {
    this.in = in;
  }

  /** Whether the next bytes are {@code expected}; reads as many as it needs. */
  boolean startsWith(int... expected) throws IOException {
    while (to - from < expected.length && more()) {
      // read until there are enough bytes
    }
    if (to - from < expected.length) {
      return false;
    }
    for (int i = 0; i < expected.length; i++) {
      if ((buffer[from + i] & 0xFF) != expected[i]) {
        return false;
      }
    }
    return true;
  }

  /** How many bytes were returned. */
  long count() {
    return count;
  }

  private boolean more() throws IOException {
    if (from == to) {
      from = 0;
      to = 0;
    }
    int read = in.read(buffer, to, buffer.length - to);
    to += Math.max(read, 0);
    return read >= 0;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (available() == 0) {
      return -1;
    }
    int copied = Math.min(length, to - from);
    System.arraycopy(buffer, from, target, offset, copied);
    from += copied;
    count += copied;
    return copied;
  }

  /**
   * Returns 0 only at the end, and blocks if necessary: the gzip reader takes 0 to mean that no
   * further member follows.
   */
  @Override
  public int available() throws IOException {
    while (from == to) {
      if (!more()) {
        return 0;
      }
    }
    return to - from;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
