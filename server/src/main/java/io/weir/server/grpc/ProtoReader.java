package io.weir.server.grpc;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Arrays;

/**
 * Reads the fields of a protocol buffer in order, as generated code would: fields that are unknown,
 * or of another type than expected, are skipped. Not thread-safe.
 *
 * <pre>{@code
 * for (int tag = reader.next(); tag != 0; tag = reader.next()) {
 *   switch (tag) {
 *     case (1 << 3) | ProtoReader.BYTES -> name = reader.text(100, "name");
 *     default -> reader.skip(tag);
 *   }
 * }
 * }</pre>
 *
 * <p>Allocates only the texts. Groups, deprecated for fifteen years, are refused.
 */
public final class ProtoReader {
  /** The type of integers and booleans. */
  public static final int VARINT = 0;

  /** The type of strings, bytes and messages. */
  public static final int BYTES = 2;

  private static final int FIXED_64 = 1;
  private static final int FIXED_32 = 5;

  private final byte[] bytes;
  private int at;
  private int end;

  /** Reads {@code bytes} from {@code from} up to {@code to}. */
  public ProtoReader(byte[] bytes, int from, int to) {
    this.bytes = bytes;
    this.at = from;
    this.end = to;
  }

  /** The number and type of the next field: {@code number << 3 | type}; 0 at the end. */
  public int next() {
    if (at == end) {
      return 0;
    }
    int tag = (int) varint();
    if (tag >>> 3 == 0) {
      throw GrpcException.malformed("a field without a number");
    }
    return tag;
  }

  /** An integer; the caller uses as many low bits as the field has. */
  public long varint() {
    if (at < end && bytes[at] >= 0) {
      return bytes[at++];
    }
    long value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at == end) {
        throw truncated();
      }
      byte next = bytes[at++];
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw GrpcException.malformed("a number of more than ten bytes");
  }

  /**
   * A text, which must be UTF-8.
   *
   * @param maxBytes the most bytes that it may have
   * @param what a name for the error message
   */
  public String text(int maxBytes, String what) {
    int length = length();
    if (length > maxBytes) {
      throw new GrpcException(
          GrpcStatus.INVALID_ARGUMENT,
          what + " must have at most " + maxBytes + " bytes, but has " + length);
    }
    int from = at;
    at += length;
    for (int i = from; i < at; i++) {
      if (bytes[i] < 0) {
        return unicode(from, length, what);
      }
    }
    return new String(bytes, from, length, ISO_8859_1);
  }

  private String unicode(int from, int length, String what) {
    try {
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, from, length)).toString();
    } catch (CharacterCodingException e) {
      throw GrpcException.malformed(what + " is not UTF-8");
    }
  }

  /** Bytes, or a message, as they are. */
  public byte[] bytes() {
    int length = length();
    at += length;
    return Arrays.copyOfRange(bytes, at - length, at);
  }

  /** How many bytes are left. */
  int left() {
    return end - at;
  }

  /** Everything that is left, unparsed. */
  public byte[] rest() {
    int from = at;
    at = end;
    return Arrays.copyOfRange(bytes, from, end);
  }

  /**
   * Enters a nested message: {@link #next} then ends where it ends.
   *
   * @return the argument for {@link #leave}
   */
  public int enter() {
    int length = length();
    int outer = end;
    end = at + length;
    return outer;
  }

  /** Leaves a nested message that was read to its end. */
  public void leave(int outer) {
    end = outer;
  }

  /** Skips the field of {@code tag}. */
  public void skip(int tag) {
    switch (tag & 7) {
      case VARINT -> varint();
      case FIXED_64 -> skipBytes(8);
      case BYTES -> skipBytes(length());
      case FIXED_32 -> skipBytes(4);
      default -> throw GrpcException.malformed("a field of an unknown type");
    }
  }

  private void skipBytes(int length) {
    if (length > end - at) {
      throw truncated();
    }
    at += length;
  }

  private int length() {
    int length = (int) varint();
    if (length < 0 || length > end - at) {
      throw truncated();
    }
    return length;
  }

  private static GrpcException truncated() {
    return GrpcException.malformed("it ends too early");
  }
}
