package io.weir.rig;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A minimal Redis client: one connection, one command at a time, in RESP 2.
 *
 * <p>An integer is a {@link Long}, a status a {@link String}, a bulk string {@code byte[]} or null,
 * an array a {@link List}; an error is thrown. Blocks until the reply arrives.
 */
public final class RespSocket implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final AutoCloseable connection;
  private final InputStream in;
  private final OutputStream out;

  /** Connects to {@code port} of this machine. */
  public RespSocket(int port) {
    this(port, TIMEOUT);
  }

  /** Connects with a reply timeout of {@code timeout}. */
  public RespSocket(int port, Duration timeout) {
    try {
      Socket socket = new Socket();
      connection = socket;
      socket.setTcpNoDelay(true);
      socket.connect(new InetSocketAddress("127.0.0.1", port), (int) timeout.toMillis());
      socket.setSoTimeout((int) timeout.toMillis());
      in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
      out = socket.getOutputStream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Uses an existing connection, which is closed with this. */
  public RespSocket(InputStream in, OutputStream out, AutoCloseable connection) {
    this.connection = connection;
    this.in = new BufferedInputStream(in, 1 << 16);
    this.out = out;
  }

  /** Sets the reply timeout; only for connections that this object opened. */
  public void setTimeout(Duration timeout) {
    try {
      ((Socket) connection).setSoTimeout((int) timeout.toMillis());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A reply that begins with {@code -}. */
  public static final class RedisError extends RuntimeException {
    private static final long serialVersionUID = 1;

    RedisError(String message) {
      super(message);
    }
  }

  /** Sends a command and waits for its reply; bulk strings are read as UTF-8. */
  public Object call(String... command) {
    byte[][] parts = new byte[command.length][];
    for (int i = 0; i < parts.length; i++) {
      parts[i] = command[i].getBytes(StandardCharsets.UTF_8);
    }
    return text(call(parts));
  }

  /** Sends a command and waits for its reply. */
  public Object call(byte[]... command) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.writeBytes(line('*', command.length));
    for (byte[] part : command) {
      bytes.writeBytes(line('$', part.length));
      bytes.writeBytes(part);
      bytes.writeBytes(new byte[] {'\r', '\n'});
    }
    try {
      out.write(bytes.toByteArray());
      out.flush();
      return read();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] line(char kind, int number) {
    return (kind + Integer.toString(number) + "\r\n").getBytes(StandardCharsets.US_ASCII);
  }

  private Object read() throws IOException {
    String line = readLine();
    String rest = line.substring(1);
    switch (line.charAt(0)) {
      case '+':
        return rest;
      case '-':
        throw new RedisError(rest);
      case ':':
        return Long.valueOf(rest);
      case '$':
        int length = Integer.parseInt(rest);
        if (length < 0) {
          return null;
        }
        byte[] bulk = in.readNBytes(length);
        in.skipNBytes(2);
        return bulk;
      case '*':
        return readArray(Integer.parseInt(rest));
      default:
        throw new IOException("no reply: " + line);
    }
  }

  /**
   * An error within an array is returned as an element: throwing it would leave the rest unread.
   */
  private Object readArray(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    List<Object> array = new ArrayList<>(length);
    for (int i = 0; i < length; i++) {
      try {
        array.add(read());
      } catch (RedisError e) {
        array.add(e);
      }
    }
    return array;
  }

  private String readLine() throws IOException {
    StringBuilder line = new StringBuilder();
    int next = in.read();
    while (next != '\r') {
      if (next < 0) {
        throw new EOFException("Redis closed the connection");
      }
      line.append((char) next);
      next = in.read();
    }
    in.skipNBytes(1);
    return line.toString();
  }

  private static Object text(Object reply) {
    if (reply instanceof byte[] bulk) {
      return new String(bulk, StandardCharsets.UTF_8);
    }
    return reply instanceof List<?> array ? array.stream().map(RespSocket::text).toList() : reply;
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
