package io.weir.server.grpc;

import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Splits the received bytes into messages. Each message has a prefix: one byte, 1 if it is
 * compressed, and a length of four bytes.
 *
 * <p>A message with an excessive length is refused before it arrives, and decompression stops at
 * the same limit. At most one message is buffered, plus the bytes that arrived with its end.
 */
final class MessageDeframer {
  private static final int PREFIX = 5;

  private final int maxBytes;
  private final boolean areZipped;
  private byte[] bytes = {};
  private int start;
  private int end;

  MessageDeframer(int maxBytes, boolean areZipped) {
    this.maxBytes = maxBytes;
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
   * At least doubles the buffer, so that a message that arrives byte by byte is not copied each
   * time. Messages that were already returned refer to the old array, which does not change.
   */
  private void grow(int more) {
    int kept = end - start;
    bytes = Arrays.copyOfRange(bytes, start, start + kept + Math.max(kept, more));
    start = 0;
    end = kept;
  }

  /** Releases the buffer; no more messages are read. */
  void forget() {
    bytes = new byte[0];
    start = 0;
    end = 0;
  }

  /** How many bytes of an incomplete message have arrived. */
  int rest() {
    return end - start;
  }

  /** The next message; null if it is incomplete. */
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
    if (length > maxBytes) {
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
      byte[] message = in.readNBytes(maxBytes + 1);
      if (message.length > maxBytes) {
        throw tooLong("decompresses to more");
      }
      return new ProtoReader(message, 0, message.length);
    } catch (IOException e) {
      throw new GrpcException(GrpcStatus.INTERNAL, "a message is not valid gzip");
    }
  }

  private GrpcException tooLong(String but) {
    return new GrpcException(
        GrpcStatus.RESOURCE_EXHAUSTED,
        "a message must have at most " + maxBytes + " bytes, but " + but);
  }
}
