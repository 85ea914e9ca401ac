package io.weir.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.weir.proto.ProtoWriter;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.HexFormat;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A client connection over a blocking socket, with just enough HTTP/1.1 and gRPC for a warm-up.
 * Loading a client library would take longer than the warm-up. Not thread-safe.
 */
final class WarmUpConnection implements AutoCloseable {
  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RESET = 3;
  private static final int SETTINGS = 4;
  private static final int GOAWAY = 7;
  private static final int END_STREAM = 1;
  private static final int ACK = 1;
  private static final int END_HEADERS = 4;
  private static final int MAX_FRAME = 16 * 1024;
  private static final int MAX_LINE = 8 * 1024;

  /** ":authority: www.example.com", Huffman coded as clients send it; RFC 7541, C.4.1. */
  private static final byte[] AUTHORITY = HexFormat.of().parseHex("418cf1e3c2e5f23a6ba0ab90f4ff");

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;
  private int stream = -1;

  /**
   * Connects, and waits at most {@code millis} for that and for each response.
   *
   * @param tls null: plain text
   * @param protocol the HTTP version by its ALPN name
   */
  WarmUpConnection(
      InetAddress address, int port, @Nullable SSLContext tls, String protocol, int millis)
      throws IOException {
    Socket plain = new Socket();
    Socket made = plain;
    try {
      plain.setTcpNoDelay(true);
      plain.setSoTimeout(millis);
      plain.connect(new InetSocketAddress(address, port), millis);
      if (tls != null) {
        made = tls.getSocketFactory().createSocket(plain, "localhost", port, true);
        handshake((SSLSocket) made, protocol);
      }
      socket = made;
      in = new DataInputStream(new BufferedInputStream(made.getInputStream()));
      out = made.getOutputStream();
    } catch (IOException | RuntimeException e) {
      made.close();
      throw e;
    }
  }

  private static void handshake(SSLSocket socket, String protocol) throws IOException {
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {protocol});
    socket.setSSLParameters(parameters);
    socket.startHandshake();
  }

  /** Sends an HTTP/1.1 request and reads the response; returns its status. */
  int send(String method, String path, String body) throws IOException {
    String request =
        method
            + " "
            + path
            + " HTTP/1.1\r\nHost: localhost\r\nUser-Agent: weir\r\nAccept: */*\r\n"
            + (body.isEmpty()
                ? ""
                : "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n")
            + "\r\n"
            + body;
    out.write(request.getBytes(US_ASCII));
    out.flush();
    String status = line();
    int length = 0;
    for (String line = line(); !line.isEmpty(); line = line()) {
      String field = line.toLowerCase(Locale.ROOT);
      if (field.startsWith("content-length:")) {
        length = Integer.parseInt(field.substring(15).strip());
      }
    }
    in.readFully(new byte[length]);
    return Integer.parseInt(status.split(" ", 3)[1]);
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0 || line.size() > MAX_LINE) {
        throw new EOFException("the response breaks off");
      }
      line.write(next);
    }
    return line.toString(ISO_8859_1).strip();
  }

  /** Calls a gRPC method; returns false if the call fails. */
  boolean call(String path, ProtoWriter message) throws IOException {
    if (stream < 0) {
      out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
      out.write(frame(SETTINGS, 0, 0, new byte[0]));
    }
    stream += 2;
    out.write(frame(HEADERS, END_HEADERS, stream, head(path)));
    out.write(frame(DATA, END_STREAM, stream, message.prefix().toBytes()));
    out.flush();
    return readResponse();
  }

  private byte[] head(String path) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    head.write(0x83); // :method: POST
    head.write(socket instanceof SSLSocket ? 0x87 : 0x86); // :scheme: https, http
    head.write(AUTHORITY);
    field(head, ":path", path);
    field(head, "content-type", "application/grpc");
    field(head, "te", "trailers");
    field(head, "grpc-timeout", "5S");
    field(head, "user-agent", "weir");
    return head.toByteArray();
  }

  /** Writes a literal without indexing; names and values are shorter than 127 bytes. */
  private static void field(ByteArrayOutputStream head, String name, String value)
      throws IOException {
    head.write(0);
    head.write(name.length());
    head.write(name.getBytes(US_ASCII));
    head.write(value.length());
    head.write(value.getBytes(US_ASCII));
  }

  private static byte[] frame(int type, int flags, int stream, byte[] payload) throws IOException {
    ByteArrayOutputStream frame = new ByteArrayOutputStream();
    DataOutputStream to = new DataOutputStream(frame);
    to.writeByte(payload.length >> 16);
    to.writeShort(payload.length);
    to.writeByte(type);
    to.writeByte(flags);
    to.writeInt(stream);
    to.write(payload);
    return frame.toByteArray();
  }

  /** Reads a response; a call that fails has no message. */
  private boolean readResponse() throws IOException {
    boolean hasMessage = false;
    while (true) {
      int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int of = in.readInt();
      if (length > MAX_FRAME || type == GOAWAY || type == RESET) {
        throw new IOException("a frame of type " + type + " and " + length + " bytes");
      }
      in.readFully(new byte[length]);
      if (type == SETTINGS && flags != ACK) {
        out.write(frame(SETTINGS, ACK, 0, new byte[0]));
        out.flush();
      }
      if (of == stream) {
        hasMessage |= type == DATA;
        if ((flags & END_STREAM) != 0) {
          return hasMessage;
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
