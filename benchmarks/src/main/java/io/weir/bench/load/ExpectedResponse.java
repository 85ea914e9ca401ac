package io.weir.bench.load;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The form of a good response.
 *
 * @param status its status over HTTP/1.1
 * @param tolerated another status that is not a mistake and is counted; 0 if there is none
 * @param header the name of a header that it must have over HTTP/1.1, in lower case; may be empty
 * @param body the beginning of its body: a character of Latin-1 for each byte, {@code ?} for any
 */
public record ExpectedResponse(int status, int tolerated, String header, String body) {
  private static final char ANY = '?';
  private static final int OK = 200;

  /** A response of 200 with a body that begins with this text. */
  public static ExpectedResponse body(String text) {
    return new ExpectedResponse(OK, 0, "", text);
  }

  /** A response that begins with these bytes, -1 for any. */
  public static ExpectedResponse bytes(int... values) {
    StringBuilder text = new StringBuilder();
    for (int value : values) {
      text.append(value < 0 ? ANY : (char) value);
    }
    return body(text.toString());
  }

  /** Whether the expected body begins at {@code offset}, with {@code available} bytes. */
  boolean isBodyAt(ByteBuffer buffer, int offset, int available) {
    if (available < body.length()) {
      return false;
    }
    for (int i = 0; i < body.length(); i++) {
      char due = body.charAt(i);
      if (due != ANY && (buffer.get(offset + i) & 0xff) != due) {
        return false;
      }
    }
    return true;
  }

  /** Whether the expected header begins at {@code offset}; always if none is required. */
  boolean isHeaderAt(ByteBuffer buffer, int offset) {
    return isNameAt(header, buffer, offset);
  }

  /** Whether a line at {@code offset} begins with {@code name}, ignoring case. */
  static boolean isNameAt(String name, ByteBuffer buffer, int offset) {
    if (offset + name.length() > buffer.limit()) {
      return false;
    }
    for (int i = 0; i < name.length(); i++) {
      if ((buffer.get(offset + i) | 0x20) != (name.charAt(i) | 0x20)) {
        return false;
      }
    }
    return true;
  }

  void write(DataOutputStream out) throws IOException {
    out.writeInt(status);
    out.writeInt(tolerated);
    out.writeUTF(header);
    out.writeUTF(body);
  }

  static ExpectedResponse read(DataInputStream in) throws IOException {
    return new ExpectedResponse(in.readInt(), in.readInt(), in.readUTF(), in.readUTF());
  }

  /** A response in printable form, for a message. */
  static String shown(ByteBuffer buffer, int offset, int available) {
    byte[] bytes = new byte[Math.min(available, 200)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = buffer.get(offset + i);
    }
    return new String(bytes, StandardCharsets.ISO_8859_1).replaceAll("[^ -~]", ".");
  }
}
