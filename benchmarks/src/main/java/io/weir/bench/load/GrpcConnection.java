package io.weir.bench.load;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * gRPC over plaintext HTTP/2.
 *
 * <p>A call is one {@code HEADERS} and one {@code DATA} frame. The first call puts the headers into
 * the connection's table, as clients do, so that each further call needs six bytes for them.
 * Responses are checked by their message, and their headers are ignored. A call that ends without
 * the expected message has failed, whatever its headers are.
 */
final class GrpcConnection extends Connection {
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RESET = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GO_AWAY = 7;
  private static final int WINDOW = 8;

  private static final int END_STREAM = 1;
  private static final int ACK = 1;
  private static final int END_HEADERS = 4;
  private static final int PADDED = 8;

  private static final int HEADER_TABLE_SIZE = 1;
  private static final int MAX_STREAMS = 3;
  private static final int INITIAL_WINDOW = 4;

  private static final int FRAME_HEAD = 9;
  private static final int GRPC_HEAD = 5;
  private static final int USUAL_WINDOW = 65_535;
  private static final int LARGE_WINDOW = 1 << 30;
  private static final int USUAL_TABLE = 4096;

  /** In the table, newest first: te, content-type, authority, path. */
  private static final byte[] KNOWN_HEADERS = {
    (byte) 0x83, (byte) 0x86, (byte) 0xC1, (byte) 0xC0, (byte) 0xBF, (byte) 0xBE
  };

  private final byte[] firstHeaders;
  private final int[] streams;
  private final boolean[] hasResponse;
  private int underWay;
  private int nextStream = 1;
  private int maxStreams;
  private boolean isGreeted;
  private boolean isTableKnown;
  private boolean isTableUsable = true;
  private long sendWindow = USUAL_WINDOW;
  private long unreturned;

  GrpcConnection(RequestTemplate requestTemplate, int port, ResponseCounter responseCounter)
      throws IOException {
    super(port, responseCounter);
    firstHeaders = firstHeaders(requestTemplate.path(), "127.0.0.1:" + port);
    maxStreams = requestTemplate.protocol().streams();
    streams = new int[maxStreams];
    hasResponse = new boolean[maxStreams];
    greet();
  }

  private void greet() {
    ByteBuffer out = out();
    out.put("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    frame(6, SETTINGS, 0, 0);
    out.putShort((short) INITIAL_WINDOW);
    out.putInt(LARGE_WINDOW);
    frame(4, WINDOW, 0, 0);
    out.putInt(LARGE_WINDOW);
  }

  private void frame(int length, int type, int flags, int stream) {
    out().putInt(length << 8 | type).put((byte) flags).putInt(stream);
  }

  private static byte[] firstHeaders(String path, String authority) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    block.write(0x83); // :method POST
    block.write(0x86); // :scheme http
    block.write(0x44);
    text(block, path);
    block.write(0x41);
    text(block, authority);
    block.write(0x5F);
    text(block, "application/grpc");
    block.write(0x40);
    text(block, "te");
    text(block, "trailers");
    return block.toByteArray();
  }

  private static void text(ByteArrayOutputStream block, String text) {
    if (text.length() >= 127) {
      throw new IllegalArgumentException("too long for a header here: " + text);
    }
    block.write(text.length());
    block.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  void writeRequests() {
    if (!isGreeted) {
      return; // the server's settings come first
    }
    for (int slot = 0; underWay < maxStreams && slot < streams.length; slot++) {
      if (streams[slot] == 0) {
        byte[] body = responseCounter().nextRequest();
        if (sendWindow < GRPC_HEAD + body.length) {
          return;
        }
        call(slot, body);
      }
    }
  }

  private void call(int slot, byte[] body) {
    byte[] headers = isTableKnown ? KNOWN_HEADERS : firstHeaders;
    isTableKnown = isTableUsable;
    frame(headers.length, HEADERS, END_HEADERS, nextStream);
    out().put(headers);
    frame(GRPC_HEAD + body.length, DATA, END_STREAM, nextStream);
    out().put((byte) 0).putInt(body.length).put(body);
    sendWindow -= GRPC_HEAD + body.length;
    streams[slot] = nextStream;
    hasResponse[slot] = false;
    nextStream += 2;
    underWay++;
  }

  @Override
  boolean take(ByteBuffer in) throws IOException {
    if (in.remaining() < FRAME_HEAD) {
      return false;
    }
    int begin = in.position();
    int length = in.getInt(begin) >>> 8;
    if (in.remaining() < FRAME_HEAD + length) {
      return false;
    }
    int type = in.get(begin + 3);
    int flags = in.get(begin + 4);
    int stream = in.getInt(begin + 5) & Integer.MAX_VALUE;
    int payload = begin + FRAME_HEAD;
    switch (type) {
      case DATA -> data(in, payload, length, flags, stream);
      case HEADERS -> endIf((flags & END_STREAM) != 0, stream);
      case RESET -> endIf(true, stream);
      case SETTINGS -> settings(in, payload, length, flags);
      case PING -> ping(in, payload, flags);
      case WINDOW -> sendWindow += stream == 0 ? in.getInt(payload) : 0;
      case GO_AWAY -> throw new IOException("the server sent GOAWAY");
      default -> {} // not relevant here
    }
    in.position(payload + length);
    return true;
  }

  private void data(ByteBuffer in, int payload, int length, int flags, int stream) {
    if (length > 0) {
      int offset = payload + ((flags & PADDED) != 0 ? 1 : 0);
      hasResponse[slot(stream)] =
          responseCounter()
              .isExpected(in, offset + GRPC_HEAD, payload + length - offset - GRPC_HEAD);
      unreturned += length;
      if (unreturned > LARGE_WINDOW / 2) {
        frame(4, WINDOW, 0, 0);
        out().putInt((int) unreturned);
        unreturned = 0;
      }
    }
    endIf((flags & END_STREAM) != 0, stream);
  }

  private void endIf(boolean isEnd, int stream) {
    if (isEnd) {
      int slot = slot(stream);
      if (hasResponse[slot]) {
        responseCounter().countGood();
      } else {
        responseCounter().countBad("a call ended without the expected message");
      }
      streams[slot] = 0;
      underWay--;
    }
  }

  private int slot(int stream) {
    for (int slot = 0; slot < streams.length; slot++) {
      if (streams[slot] == stream) {
        return slot;
      }
    }
    throw new IllegalStateException("an unexpected response on stream " + stream);
  }

  private void settings(ByteBuffer in, int payload, int length, int flags) {
    if ((flags & ACK) != 0) {
      return;
    }
    for (int place = payload; place < payload + length; place += 6) {
      int value = in.getInt(place + 2);
      switch (in.getShort(place)) {
        case HEADER_TABLE_SIZE -> isTableUsable = value < 0 || value >= USUAL_TABLE;
        case MAX_STREAMS -> maxStreams = value < 0 ? maxStreams : Math.min(maxStreams, value);
        default -> {} // bodies are smaller than any window, responses are not compressed
      }
    }
    frame(0, SETTINGS, ACK, 0);
    isGreeted = true;
  }

  private void ping(ByteBuffer in, int payload, int flags) {
    if ((flags & ACK) == 0) {
      frame(8, PING, ACK, 0);
      out().putLong(in.getLong(payload));
    }
  }

  @Override
  int underWay() {
    return underWay;
  }
}
