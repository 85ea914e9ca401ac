package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A server that records every byte and parses like a simple server: a head ends with an empty line,
 * and the bytes after its body are the next request.
 */
final class RawUpstream implements AutoCloseable {
  private final ServerSocket server;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final List<String> heads = new CopyOnWriteArrayList<>();
  private final StringBuffer bytes = new StringBuffer();

  RawUpstream() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "raw upstream");
    thread.setDaemon(true);
    thread.start();
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + server.getLocalPort());
  }

  /** The heads of all requests, each with its empty line. */
  List<String> heads() {
    return new ArrayList<>(heads);
  }

  /** Everything. */
  String bytes() {
    return bytes.toString();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        sockets.add(socket);
        start(() -> serve(socket));
      }
    } catch (IOException closed) {
      // the end
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = socket.getInputStream();
      for (String head = read(in, "\r\n\r\n"); !head.isEmpty(); head = read(in, "\r\n\r\n")) {
        heads.add(head);
        skipBody(in, head.toLowerCase(Locale.ROOT));
        socket
            .getOutputStream()
            .write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(ISO_8859_1));
      }
    } catch (IOException gone) {
      // so be it
    }
  }

  private void skipBody(InputStream in, String head) throws IOException {
    if (head.contains("\r\ntransfer-encoding:")) {
      while (true) {
        String size = read(in, "\r\n").strip();
        if (size.isEmpty()) {
          throw new IOException("the end");
        }
        int length = Integer.parseInt(size, 16);
        if (length == 0) {
          skipTrailers(in);
          return;
        }
        for (int i = 0; i < length + 2; i++) {
          next(in);
        }
      }
    }
    int at = head.indexOf("\r\ncontent-length:");
    if (at >= 0) {
      int from = at + "\r\ncontent-length:".length();
      int length = Integer.parseInt(head.substring(from, head.indexOf('\r', from)).strip());
      for (int i = 0; i < length; i++) {
        next(in);
      }
    }
  }

  private void skipTrailers(InputStream in) throws IOException {
    for (String line = read(in, "\r\n"); !line.isBlank(); ) {
      line = read(in, "\r\n");
    }
  }

  private String read(InputStream in, String end) throws IOException {
    StringBuilder text = new StringBuilder();
    while (text.indexOf(end) < 0) {
      int next = next(in);
      if (next < 0) {
        return "";
      }
      text.append((char) next);
    }
    return text.toString();
  }

  private int next(InputStream in) throws IOException {
    int next = in.read();
    if (next >= 0) {
      bytes.append((char) next);
    }
    return next;
  }

  @Override
  public void close() throws IOException {
    server.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
