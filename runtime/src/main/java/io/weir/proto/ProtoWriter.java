package io.weir.proto;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/**
 * Writes a protocol buffer from its end to its beginning. Not thread-safe.
 *
 * <p>A nested message is preceded by its length, which is known only after it has been written.
 * Writing backwards solves that: write the fields in reverse order, and then everything since
 * {@link #mark} is the message.
 *
 * <pre>{@code
 * int end = writer.mark();
 * writer.number(2, unit);
 * writer.number(1, requests);
 * writer.message(5, end);
 * }</pre>
 *
 * <p>Fields with default values are left out, as in generated code.
 */
public final class ProtoWriter {
  private static final int VARINT = 0;
  private static final int FIXED_64 = 1;
  private static final int BYTES = 2;

  /** The bytes before a message in gRPC: whether it is compressed, and its length. */
  private static final int PREFIX = 5;

  private byte[] bytes;
  private int start;

  /** A writer with room for about {@code size} bytes; it grows as needed. */
  public ProtoWriter(int size) {
    bytes = new byte[Math.max(size, 16)];
    start = bytes.length;
  }

  /** The end of the message that is written next: for {@link #message}. */
  public int mark() {
    return length();
  }

  /** Makes everything since {@code mark} the message of a field. */
  public ProtoWriter message(int field, int mark) {
    varint(length() - mark);
    tag(field, BYTES);
    return this;
  }

  /** An integer that is not negative, or any whole 64 bits. */
  public ProtoWriter number(int field, long value) {
    if (value != 0) {
      varint(value);
      tag(field, VARINT);
    }
    return this;
  }

  /** A double, even if it is zero. */
  public ProtoWriter decimal(int field, double value) {
    long bits = Double.doubleToRawLongBits(value);
    reserve(8);
    for (int i = 7; i >= 0; i--) {
      bytes[--start] = (byte) (bits >>> (8 * i));
    }
    tag(field, FIXED_64);
    return this;
  }

  /** An integer or a boolean, even if it is zero: for fields of a oneof. */
  public ProtoWriter given(int field, long value) {
    varint(value);
    tag(field, VARINT);
    return this;
  }

  /** A text. */
  public ProtoWriter text(int field, String value) {
    return value.isEmpty() ? this : givenText(field, value);
  }

  /** A text, even if it is empty. */
  public ProtoWriter givenText(int field, String value) {
    return bytes(field, value.getBytes(UTF_8)); // faster than a loop over its characters
  }

  /** Bytes, or a message that is already encoded. */
  public ProtoWriter bytes(int field, byte[] value) {
    reserve(value.length);
    start -= value.length;
    System.arraycopy(value, 0, bytes, start, value.length);
    varint(value.length);
    tag(field, BYTES);
    return this;
  }

  private void tag(int field, int type) {
    varint(field << 3 | type);
  }

  private void varint(long value) {
    reserve(10);
    if (value >>> 7 == 0) {
      bytes[--start] = (byte) value;
      return;
    }
    int length = (70 - Long.numberOfLeadingZeros(value | 1)) / 7;
    start -= length;
    long rest = value;
    for (int i = 0; i < length; i++) {
      bytes[start + i] = (byte) (i < length - 1 ? rest | 0x80 : rest & 0x7F);
      rest >>>= 7;
    }
  }

  private void reserve(int more) {
    if (start < more) {
      int used = bytes.length - start;
      byte[] larger = new byte[Math.max(bytes.length * 2, used + more)];
      System.arraycopy(bytes, start, larger, larger.length - used, used);
      bytes = larger;
      start = larger.length - used;
    }
  }

  /** The message. */
  public byte[] toBytes() {
    return Arrays.copyOfRange(bytes, start, bytes.length);
  }

  /** Puts the prefix of an uncompressed gRPC message before the message. */
  public ProtoWriter prefix() {
    int length = length();
    reserve(PREFIX);
    for (int i = 0; i < 4; i++) {
      bytes[--start] = (byte) (length >>> (8 * i));
    }
    bytes[--start] = 0;
    return this;
  }

  /** How many bytes were written. */
  public int length() {
    return bytes.length - start;
  }

  /** Passes all bytes to {@code target}, without a copy. */
  public void writeTo(Target target) {
    target.take(bytes, start, length());
  }

  /** Receives a part of an array, which it must not keep. */
  public interface Target {
    void take(byte[] bytes, int from, int length);
  }
}
