package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;

/** Writes UTF-8 bytes to a command's output, which stays open. */
final class WriterOutputStream extends OutputStream {
  private static final int ROOM = 1 << 13;

  private final PrintWriter writer;
  private final CharsetDecoder decoder =
      UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPLACE)
          .onUnmappableCharacter(CodingErrorAction.REPLACE);
  private final ByteBuffer bytes = ByteBuffer.allocate(ROOM);
  private final CharBuffer chars = CharBuffer.allocate(ROOM);

  WriterOutputStream(PrintWriter writer) {
    this.writer = writer;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] source, int offset, int length) throws IOException {
    int at = offset;
    int end = offset + length;
    while (at < end) {
      int count = Math.min(bytes.remaining(), end - at);
      bytes.put(source, at, count);
      at += count;
      bytes.flip();
      decoder.decode(bytes, chars, false);
      bytes.compact(); // may be the beginning of a character
      chars.flip();
      writer.append(chars);
      chars.clear();
    }
    StandardOutput.check(writer);
  }
}
