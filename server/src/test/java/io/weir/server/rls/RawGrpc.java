package io.weir.server.rls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** gRPC over HTTP/2 frame by frame, to do what no honest client does. */
final class RawGrpc implements AutoCloseable {
  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  static final int GOAWAY = 7;
  static final int WINDOW_UPDATE = 8;
  static final int END_STREAM = 1;
  static final int END_HEADERS = 4;
  static final int PRIORITY = 32;
  static final String METHOD = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

  private final Socket socket;
  private final DataInputStream in;
  private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder();
  private final DefaultHttp2HeadersEncoder encoder = new DefaultHttp2HeadersEncoder();
  private int stream = -1;

  RawGrpc(int port) throws IOException {
    this(port, 1 << 30);
  }

  /** A client that takes only so many bytes more than every client does. */
  RawGrpc(int port, int window) throws IOException {
    this(new Socket("127.0.0.1", port), window);
  }

  /** A client with another loopback address. */
  static RawGrpc from(String address, int port) throws IOException {
    return new RawGrpc(new Socket("127.0.0.1", port, InetAddress.getByName(address), 0), 1 << 30);
  }

  private RawGrpc(Socket socket, int window) throws IOException {
    this.socket = socket;
    socket.setSoTimeout(30_000);
    socket.setTcpNoDelay(true);
    in = new DataInputStream(socket.getInputStream());
    write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    send(SETTINGS, 0, 0, new byte[0]);
    send(WINDOW_UPDATE, 0, 0, ByteBuffer.allocate(4).putInt(window).array());
  }

  /** Begins a call with these headers besides the usual ones, in pairs. */
  int begin(String path, String... more) throws IOException {
    Http2Headers headers =
        new DefaultHttp2Headers(false)
            .method("POST")
            .scheme("http")
            .path(path)
            .authority("localhost")
            .set("content-type", "application/grpc")
            .set("te", "trailers");
    for (int i = 0; i < more.length; i += 2) {
      headers.set(more[i], more[i + 1]);
    }
    stream += 2;
    ByteBuf block = Unpooled.buffer();
    try {
      encoder.encodeHeaders(stream, headers, block);
    } catch (Http2Exception e) {
      throw new IOException(e);
    }
    send(HEADERS, END_HEADERS, stream, ByteBufUtil.getBytes(block));
    return stream;
  }

  /** A message as gRPC frames it, with any flag and any length. */
  static byte[] message(int flag, long length, byte[] payload) {
    byte[] framed = new byte[payload.length + 5];
    framed[0] = (byte) flag;
    for (int i = 0; i < 4; i++) {
      framed[1 + i] = (byte) (length >>> (24 - 8 * i));
    }
    System.arraycopy(payload, 0, framed, 5, payload.length);
    return framed;
  }

  void data(int id, boolean isLast, byte[] bytes) throws IOException {
    int from = 0;
    do {
      int part = Math.min(16_384, bytes.length - from);
      boolean isEnd = isLast && from + part == bytes.length;
      byte[] payload = java.util.Arrays.copyOfRange(bytes, from, from + part);
      send(DATA, isEnd ? END_STREAM : 0, id, payload);
      from += part;
    } while (from < bytes.length);
  }

  void reset(int id) throws IOException {
    send(RST_STREAM, 0, id, new byte[] {0, 0, 0, 8});
  }

  void send(int type, int flags, int id, byte[] payload) throws IOException {
    ByteArrayOutputStream frame = new ByteArrayOutputStream(payload.length + 9);
    frame.write(payload.length >>> 16);
    frame.write(payload.length >>> 8);
    frame.write(payload.length);
    frame.write(type);
    frame.write(flags);
    for (int shift = 24; shift >= 0; shift -= 8) {
      frame.write(id >>> shift);
    }
    frame.writeBytes(payload);
    write(frame.toByteArray());
  }

  void write(byte[] bytes) throws IOException {
    try {
      socket.getOutputStream().write(bytes);
    } catch (SocketException closed) {
      // What the server sent before can still be read.
    }
  }

  /**
   * How the server ended a call: {@code grpc-status}, {@code :status} of a response without one,
   * {@code reset}, {@code goaway} or {@code closed}.
   */
  String outcome(int id) throws IOException {
    while (true) {
      Outcome next = next();
      if (next.stream == id || next.stream == 0) {
        return next.what;
      }
    }
  }

  /** How so many calls were ended, in the order in which they were. */
  List<String> outcomes(int count) throws IOException {
    List<String> outcomes = new ArrayList<>();
    while (outcomes.size() < count) {
      outcomes.add(next().what);
    }
    return outcomes;
  }

  private Outcome next() throws IOException {
    try {
      while (true) {
        int length = in.readUnsignedShort() << 8 | in.readUnsignedByte();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int id = in.readInt() & 0x7FFF_FFFF;
        byte[] payload = in.readNBytes(length);
        if (type == GOAWAY) {
          return new Outcome(0, "goaway");
        }
        if (type == RST_STREAM) {
          return new Outcome(id, "reset");
        }
        if (type == HEADERS) {
          int from = (flags & PRIORITY) == 0 ? 0 : 5;
          ByteBuf block = Unpooled.wrappedBuffer(payload, from, length - from);
          Http2Headers headers = decoder.decodeHeaders(id, block);
          if (headers.contains("grpc-status")) {
            return new Outcome(id, headers.get("grpc-status").toString());
          }
          if (!isGrpc(headers)) {
            return new Outcome(id, ":" + headers.status());
          }
        }
      }
    } catch (EOFException | SocketException e) {
      return new Outcome(0, "closed");
    } catch (Http2Exception e) {
      throw new IOException(e);
    }
  }

  private record Outcome(int stream, String what) {}

  private static boolean isGrpc(Http2Headers headers) {
    CharSequence type = headers.get("content-type");
    return type != null && type.toString().equals("application/grpc");
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
