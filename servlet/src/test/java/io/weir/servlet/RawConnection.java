package io.weir.servlet;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/** A connection over which bytes are sent as they are. */
final class RawConnection implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;

  RawConnection(int port) throws IOException {
    socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(30_000);
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** What a request gets over a connection of its own. */
  static Response get(int port, String target, String... headers) throws IOException {
    return send(port, "GET", target, headers);
  }

  static Response send(int port, String method, String target, String... headers)
      throws IOException {
    try (RawConnection rawConnection = new RawConnection(port)) {
      return rawConnection.send(method, target, headers);
    }
  }

  Response send(String method, String target, String... headers) throws IOException {
    StringBuilder head = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
    boolean hasHost = List.of(headers).stream().anyMatch(each -> each.startsWith("Host:"));
    head.append(hasHost ? "" : "Host: shop.example\r\n");
    for (String header : headers) {
      head.append(header).append("\r\n");
    }
    send(head.append("\r\n").toString());
    return receive(method.equals("HEAD"));
  }

  void send(String bytes) throws IOException {
    socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
    socket.getOutputStream().flush();
  }

  Response receive(boolean isOfHead) throws IOException {
    String status = line();
    TreeMap<String, List<String>> headers = new TreeMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      headers
          .computeIfAbsent(
              line.substring(0, colon).toLowerCase(Locale.ROOT), name -> new ArrayList<>(1))
          .add(line.substring(colon + 1).strip());
    }
    return new Response(
        Integer.parseInt(status.split(" ", -1)[1]), headers, isOfHead ? "" : body(headers));
  }

  private String body(TreeMap<String, List<String>> headers) throws IOException {
    if (headers.containsKey("content-length")) {
      int length = Integer.parseInt(headers.get("content-length").get(0));
      return bytes(length);
    }
    if (!headers.containsKey("transfer-encoding")) {
      return headers.getOrDefault("connection", List.of()).contains("close")
          ? new String(in.readAllBytes(), ISO_8859_1)
          : "";
    }
    StringBuilder body = new StringBuilder();
    for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
      body.append(bytes(size));
      line();
    }
    line();
    return body.toString();
  }

  private String bytes(int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("cut short: " + new String(bytes, ISO_8859_1));
    }
    return new String(bytes, ISO_8859_1);
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("closed after: " + line);
      }
      line.append((char) c);
    }
    return line.toString().stripTrailing();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  /** What has come back; names in lower case. */
  record Response(int status, TreeMap<String, List<String>> headers, String body) {
    String header(String name) {
      List<String> values = headers.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
      if (values.size() > 1) {
        throw new AssertionError(name + " came more than once: " + values);
      }
      return values.isEmpty() ? null : values.get(0);
    }

    /** Status, body, and all headers but those that every server sets in a way of its own. */
    String comparable() {
      TreeMap<String, List<String>> shown = new TreeMap<>(headers);
      List.of("date", "server", "connection", "keep-alive", "transfer-encoding")
          .forEach(shown::remove);
      return status + " " + shown + " " + body;
    }
  }
}
