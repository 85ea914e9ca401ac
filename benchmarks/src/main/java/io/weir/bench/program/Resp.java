package io.weir.bench.program;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A connection to Redis for the benchmark itself: plain and pipelined. */
public final class Resp implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  /** Connects to the Redis at this port of loopback. */
  public Resp(int port) throws IOException {
    socket = new Socket("127.0.0.1", port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(60_000);
    in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    out = new BufferedOutputStream(socket.getOutputStream(), 1 << 16);
  }

  /** Sends a command and waits for the reply: text, a number in digits, or a list of them. */
  public String say(String... words) throws IOException {
    write(bytes(words));
    flush();
    return String.valueOf(read());
  }

  /** Adds a command to the next batch. */
  public void write(List<byte[]> words) throws IOException {
    out.write(("*" + words.size() + "\r\n").getBytes(StandardCharsets.US_ASCII));
    for (byte[] word : words) {
      out.write(("$" + word.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
      out.write(word);
      out.write('\r');
      out.write('\n');
    }
  }

  /** Sends the batch. */
  public void flush() throws IOException {
    out.flush();
  }

  /** The next reply: a String, null, or a List of replies. */
  public Object read() throws IOException {
    String line = line();
    String rest = line.substring(1);
    switch (line.charAt(0)) {
      case '+', ':':
        return rest;
      case '-':
        throw new IOException("Redis error: " + rest);
      case '$':
        int length = Integer.parseInt(rest);
        if (length < 0) {
          return null;
        }
        byte[] text = in.readNBytes(length);
        in.skipNBytes(2);
        return new String(text, StandardCharsets.ISO_8859_1);
      case '*':
        List<Object> list = new ArrayList<>();
        for (int i = Integer.parseInt(rest); i > 0; i--) {
          list.add(read());
        }
        return list;
      default:
        throw new IOException("not a reply of Redis: " + line);
    }
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\r'; c = in.read()) {
      if (c < 0) {
        throw new IOException("Redis has closed the connection");
      }
      line.append((char) c);
    }
    in.skipNBytes(1);
    return line.toString();
  }

  /** Words in wire format. */
  public static List<byte[]> bytes(String... words) {
    return Arrays.stream(words).map(word -> word.getBytes(StandardCharsets.ISO_8859_1)).toList();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
