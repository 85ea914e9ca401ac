package io.weir.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** A raw HTTP/2 client that can violate the protocol. */
public final class RawHttp2 implements AutoCloseable {
  public static final int DATA = 0;
  public static final int HEADERS = 1;
  public static final int RST_STREAM = 3;
  public static final int SETTINGS = 4;
  public static final int PING = 6;
  public static final int GOAWAY = 7;
  public static final int WINDOW_UPDATE = 8;
  public static final int CONTINUATION = 9;
  public static final int END_STREAM = 1;
  public static final int END_HEADERS = 4;

  private static final int PRIORITY = 32;

  /** {@code GET / http a}, by the static table of HPACK. */
  private static final byte[] HEAD = {(byte) 0x82, (byte) 0x84, (byte) 0x86, 0x41, 1, 'a'};

  private final Socket socket;
  private final DataInputStream in;
  private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder();
  private int stream = -1;

  /** Sends the preface with these settings: number, value, and so on. */
  public RawHttp2(int port, int... settings) throws IOException {
    this(new Socket("127.0.0.1", port), settings);
  }

  /** Sends the preface. */
  public RawHttp2(Socket connected, int... settings) throws IOException {
    socket = connected;
    socket.setSoTimeout(30_000);
    in = new DataInputStream(socket.getInputStream());
    ByteBuffer wishes = ByteBuffer.allocate(settings.length * 3);
    for (int i = 0; i < settings.length; i += 2) {
      wishes.putShort((short) settings[i]).putInt(settings[i + 1]);
    }
    ByteArrayOutputStream hello = new ByteArrayOutputStream();
    hello.writeBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    hello.writeBytes(frame(SETTINGS, 0, 0, wishes.array()));
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
  public void open() throws IOException {
    stream += 2;
    send(frame(HEADERS, END_HEADERS | END_STREAM, stream, HEAD));
  }

  /** Begins a request with these headers: name, value, and so on; returns its stream. */
  public int open(boolean isWhole, String... headers) throws IOException {
    stream += 2;
    send(frame(HEADERS, END_HEADERS | (isWhole ? END_STREAM : 0), stream, block(headers)));
    return stream;
  }

  /** {@code GET} of a path. */
  public int get(String path) throws IOException {
    return open(true, ":method", "GET", ":scheme", "http", ":authority", "a", ":path", path);
  }

  /** {@code GET} of a path on so many streams, all in one write. */
  public void getTogether(String path, int streams) throws IOException {
    byte[] block = block(":method", "GET", ":scheme", "http", ":authority", "a", ":path", path);
    ByteArrayOutputStream frames = new ByteArrayOutputStream();
    for (int i = 0; i < streams; i++) {
      stream += 2;
      frames.writeBytes(frame(HEADERS, END_HEADERS | END_STREAM, stream, block));
    }
    send(frames.toByteArray());
  }

  /** Returns when the server has read all frames that were sent before. */
  public void ping() throws IOException {
    send(PING, 0, 0, new byte[8]);
    await(PING);
  }

  /** Lets the server send so many bytes more on a stream, or with 0 on the connection. */
  public void grant(int id, int bytes) throws IOException {
    send(WINDOW_UPDATE, 0, id, ByteBuffer.allocate(4).putInt(bytes).array());
  }

  /** Reads until so many streams have ended, whether with a response or by a reset. */
  public int responses(int streams) throws IOException {
    int whole = 0;
    for (int ended = 0; ended < streams; ) {
      int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      in.skipNBytes(4 + length);
      boolean isLast = (type == DATA || type == HEADERS) && (flags & END_STREAM) != 0;
      ended += isLast || type == RST_STREAM ? 1 : 0;
      whole += isLast ? 1 : 0;
    }
    return whole;
  }

  /** Headers as they are, whatever is in them: neither in a table nor compressed. */
  public static byte[] block(String... headers) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    for (int i = 0; i < headers.length; i++) {
      if (i % 2 == 0) {
        block.write(0);
      }
      byte[] text = headers[i].getBytes(StandardCharsets.ISO_8859_1);
      if (text.length < 127) {
        block.write(text.length);
      } else { // the rest in groups of seven bits, the lowest first
        block.write(127);
        int rest = text.length - 127;
        for (; rest >= 128; rest >>>= 7) {
          block.write(rest & 127 | 128);
        }
        block.write(rest);
      }
      block.writeBytes(text);
    }
    return block.toByteArray();
  }

  /** Sends part of a body. */
  public void data(int id, boolean isLast, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    send(frame(DATA, isLast ? END_STREAM : 0, id, bytes));
  }

  /** Resets the last stream. */
  public void reset() throws IOException {
    send(frame(RST_STREAM, 0, stream, new byte[] {0, 0, 0, 8}));
  }

  /** Why the server ends the connection. */
  public int errorOfGoodbye() throws IOException {
    return await(GOAWAY).getInt(4);
  }

  /** Sends a frame. */
  public void send(int type, int flags, int id, byte[] payload) throws IOException {
    send(frame(type, flags, id, payload));
  }

  private void send(byte[] frame) throws IOException {
    try {
      socket.getOutputStream().write(frame);
    } catch (SocketException closed) {
      // Earlier responses can still be read.
    }
  }

  /** The outcome of a request: its status, {@code reset}, {@code goaway} or {@code closed}. */
  public String outcome(int id) throws IOException {
    try {
      while (true) {
        int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int found = in.readInt() & 0x7FFF_FFFF;
        byte[] payload = in.readNBytes(length);
        if (type == GOAWAY) {
          return "goaway";
        }
        if (type == RST_STREAM && found == id) {
          return "reset";
        }
        if (type == HEADERS) {
          int from = (flags & PRIORITY) == 0 ? 0 : 5;
          ByteBuf block = Unpooled.wrappedBuffer(payload, from, length - from);
          Http2Headers headers = decoder.decodeHeaders(found, block);
          if (found == id && headers.status() != null) {
            return headers.status().toString();
          }
        }
      }
    } catch (EOFException | SocketException closed) {
      return "closed";
    } catch (Http2Exception e) {
      throw new IOException(e);
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
