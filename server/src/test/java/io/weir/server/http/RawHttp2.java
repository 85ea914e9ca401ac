package io.weir.server.http;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** HTTP/2 by hand, to do what no honest client does. */
final class RawHttp2 implements AutoCloseable {
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int GOAWAY = 7;

  /** {@code GET / http a}, by the static table of HPACK. */
  private static final byte[] HEAD = {(byte) 0x82, (byte) 0x84, (byte) 0x86, 0x41, 1, 'a'};

  private final Socket socket;
  private final DataInputStream in;
  private int stream = -1;

  RawHttp2(int port) throws IOException {
    socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(30_000);
    in = new DataInputStream(socket.getInputStream());
    ByteArrayOutputStream hello = new ByteArrayOutputStream();
    hello.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    hello.writeBytes(frame(SETTINGS, 0, 0, new byte[0]));
    socket.getOutputStream().write(hello.toByteArray());
  }

  /** The server's settings, by their numbers. */
  Map<Integer, Long> settings() throws IOException {
    ByteBuffer payload = await(SETTINGS);
    Map<Integer, Long> settings = new HashMap<>();
    while (payload.hasRemaining()) {
      settings.put((int) payload.getShort(), Integer.toUnsignedLong(payload.getInt()));
    }
    return settings;
  }

  /** Begins and ends a request on a new stream. */
  void open() throws IOException {
    stream += 2;
    send(frame(HEADERS, 5, stream, HEAD));
  }

  /** Resets the last stream. */
  void reset() throws IOException {
    send(frame(RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8}));
  }

  /** Why the server ends the connection. */
  int errorOfGoodbye() throws IOException {
    return await(GOAWAY).getInt(4);
  }

  private void send(byte[] frame) throws IOException {
    try {
      socket.getOutputStream().write(frame);
    } catch (SocketException closed) {
      // What it said before is still there to be read.
    }
  }

  private ByteBuffer await(int type) throws IOException {
    while (true) {
      int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
      int found = in.readUnsignedByte();
      in.skipNBytes(5);
      byte[] payload = in.readNBytes(length);
      if (found == type) {
        return ByteBuffer.wrap(payload);
      }
    }
  }

  private static byte[] frame(int type, int flags, int stream, byte[] payload) {
    ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
    frame.putShort((short) (payload.length >> 8)).put((byte) payload.length);
    frame.put((byte) type).put((byte) flags).putInt(stream).put(payload);
    return frame.array();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
