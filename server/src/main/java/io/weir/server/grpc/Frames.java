package io.weir.server.grpc;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Cuts what a caller sends into messages. Before each stand a byte, 1 if it is compressed, and four
 * bytes of length.
 *
 * <p>A message that is announced as too long is refused before it comes, and one that unpacks to
 * more is unpacked no further than that: what is kept is at most a message and what came with its
 * last bytes.
 */
final class Frames {
  private static final int PREFIX = 5;

  private final int longest;
  private final boolean areZipped;
  private byte[] bytes = {};
  private int start;

  Frames(int longest, boolean areZipped) {
    this.longest = longest;
    this.areZipped = areZipped;
  }

  void add(Buffer part) {
    if (start == bytes.length) {
      bytes = part.getBytes();
    } else {
      int kept = bytes.length - start;
      byte[] joined = Arrays.copyOfRange(bytes, start, bytes.length + part.length());
      part.getBytes(0, part.length(), joined, kept);
      bytes = joined;
    }
    start = 0;
  }

  /** Nothing more will be asked for. */
  void forget() {
    bytes = new byte[0];
    start = 0;
  }

  /** How many bytes have come that are not a whole message. */
  int rest() {
    return bytes.length - start;
  }

  /** The next message; null if it has not come yet. */
  @Nullable ProtoReader next() {
    if (bytes.length - start < PREFIX) {
      return null;
    }
    int flag = bytes[start];
    if (flag != 0 && flag != 1) {
      throw new GrpcException(GrpcStatus.INTERNAL, "a message begins with 0 or 1, not " + flag);
    }
    long length = 0;
    for (int i = 1; i < PREFIX; i++) {
      length = length << 8 | (bytes[start + i] & 0xFF);
    }
    if (length > longest) {
      throw tooLong("has " + length);
    }
    int from = start + PREFIX;
    if (bytes.length - from < length) {
      return null;
    }
    start = from + (int) length;
    return flag == 0 ? new ProtoReader(bytes, from, start) : unzipped(from, (int) length);
  }

  private ProtoReader unzipped(int from, int length) {
    if (!areZipped) {
      throw new GrpcException(
          GrpcStatus.INTERNAL, "a message is compressed, but grpc-encoding does not say how");
    }
    try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(bytes, from, length))) {
      byte[] message = in.readNBytes(longest + 1);
      if (message.length > longest) {
        throw tooLong("unpacks to more");
      }
      return new ProtoReader(message, 0, message.length);
    } catch (IOException e) {
      throw new GrpcException(GrpcStatus.INTERNAL, "a message cannot be unpacked by gzip");
    }
  }

  private GrpcException tooLong(String but) {
    return new GrpcException(
        GrpcStatus.RESOURCE_EXHAUSTED,
        "a message must have at most " + longest + " bytes, but " + but);
  }
}
