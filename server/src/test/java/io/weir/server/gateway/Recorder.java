package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.CRC32;

/**
 * A server behind a proxy that records the complete requests. Each response names its request. It
 * reads strictly: proxies write well-formed requests. {@code X-Case} is the client's address, which
 * a proxy sets and no request can forge.
 */
final class Recorder implements AutoCloseable {
  private final ServerSocket server;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final Map<String, List<Seen>> seen = new ConcurrentHashMap<>();

  /** A request with the length of its body and a checksum of it. */
  record Seen(String method, String target, int length, long sum) {
    String encoded() {
      return encode(method) + " " + encode(target) + " " + length + " " + sum;
    }

    static Seen decode(String text) {
      String[] parts = text.split(" ");
      return new Seen(
          decodePart(parts[0]),
          decodePart(parts[1]),
          Integer.parseInt(parts[2]),
          Long.parseLong(parts[3]));
    }

    private static String encode(String text) {
      return Base64.getUrlEncoder().encodeToString(text.getBytes(ISO_8859_1));
    }

    private static String decodePart(String text) {
      return new String(Base64.getUrlDecoder().decode(text), ISO_8859_1);
    }
  }

  Recorder() throws IOException {
    server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "recorder");
    thread.setDaemon(true);
    thread.start();
  }

  int port() {
    return server.getLocalPort();
  }

  /** The requests of a client so far, in order. */
  List<Seen> of(String client) {
    return List.copyOf(seen.getOrDefault(client, List.of()));
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        socket.setTcpNoDelay(true);
        sockets.add(socket);
        start(() -> serve(socket));
      }
    } catch (IOException closed) {
      // the end
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      while (true) {
        Seen next = read(in);
        String body = next.method.equals("HEAD") ? "" : "ok";
        String response =
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Seen: " + next.encoded() + "\r\n\r\n" + body;
        socket.getOutputStream().write(response.getBytes(ISO_8859_1));
      }
    } catch (IOException gone) {
      sockets.remove(socket);
    }
  }

  private Seen read(InputStream in) throws IOException {
    String[] first = line(in).split(" ", -1);
    if (first.length != 3) {
      throw new IOException("not a request");
    }
    String client = "";
    int length = 0;
    boolean isChunked = false;
    for (String field = line(in); !field.isEmpty(); field = line(in)) {
      int colon = field.indexOf(':');
      String name = field.substring(0, Math.max(0, colon)).toLowerCase(Locale.ROOT);
      String value = field.substring(colon + 1).strip();
      switch (name) {
        case "x-case" -> client = value;
        case "content-length" -> length = Integer.parseInt(value);
        case "transfer-encoding" -> isChunked = true;
        default -> {}
      }
    }
    byte[] body = isChunked ? chunks(in) : exactly(in, length);
    CRC32 sum = new CRC32();
    sum.update(body);
    Seen whole = new Seen(first[0], first[1], body.length, sum.getValue());
    seen.computeIfAbsent(client, none -> new CopyOnWriteArrayList<>()).add(whole);
    return whole;
  }

  private static byte[] chunks(InputStream in) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    while (true) {
      int size = Integer.parseInt(line(in).replaceFirst("[ \t]*(;.*)?$", ""), 16);
      if (size == 0) {
        for (String trailer = line(in); !trailer.isEmpty(); ) {
          trailer = line(in);
        }
        return body.toByteArray();
      }
      body.writeBytes(exactly(in, size));
      line(in);
    }
  }

  private static byte[] exactly(InputStream in, int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException();
    }
    return bytes;
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder text = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException();
      }
      text.append((char) next);
    }
    return text.substring(0, Math.max(0, text.length() - 1));
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
