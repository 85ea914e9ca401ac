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
  private int end;

  Frames(int longest, boolean areZipped) {
    this.longest = longest;
    this.areZipped = areZipped;
  }

  void add(Buffer part) {
    if (start == end) {
      bytes = part.getBytes();
      start = 0;
      end = bytes.length;
      return;
    }
    if (bytes.length - end < part.length()) {
      grow(part.length());
    }
    part.getBytes(0, part.length(), bytes, end);
    end += part.length();
  }

  /**
   * Makes room for at least as much again: a message that comes byte by byte is not copied at each.
   * Messages that were cut out before are read from the old array, which stays as it is.
   */
  private void grow(int more) {
    int kept = end - start;
    bytes = Arrays.copyOfRange(bytes, start, start + kept + Math.max(kept, more));
    start = 0;
    end = kept;
  }

  /** Nothing more will be asked for. */
  void forget() {
    bytes = new byte[0];
    start = 0;
    end = 0;
  }

  /** How many bytes have come that are not a whole message. */
  int rest() {
    return end - start;
  }

  /** The next message; null if it has not come yet. */
  @Nullable ProtoReader next() {
    if (end - start < PREFIX) {
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
    if (end - from < length) {
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
