package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;

/** An HTTP/1.1 server that sends fixed bytes after each request head, and closes. */
final class BrokenUpstream implements AutoCloseable {
  private final ServerSocket server;
  private final String scheme;
  private final byte[] response;
  private final End end;

  /** How it closes. */
  enum End {
    /** In an orderly way. */
    CLOSE,
    /** With a reset, like a killed process. */
    RESET,
    /** Over TLS without close_notify, as if the connection was cut on the network path. */
    CUT_SHORT
  }

  /**
   * Sends {@code bytes} as response.
   *
   * @param scheme {@code http} or {@code https}
   */
  BrokenUpstream(String scheme, String bytes, End end) throws IOException {
    this.scheme = scheme;
    this.response = bytes.getBytes(ISO_8859_1);
    this.end = end;
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::accept, "broken upstream");
    thread.setDaemon(true);
    thread.start();
  }

  URI url() {
    return URI.create(scheme + "://127.0.0.1:" + server.getLocalPort());
  }

  private void accept() {
    while (!server.isClosed()) {
      try (Socket bare = server.accept()) {
        Socket socket = scheme.equals("https") ? TlsSockets.over(bare) : bare;
        readHead(socket.getInputStream());
        socket.getOutputStream().write(response);
        switch (end) {
          case CLOSE -> {
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes(); // or it is a reset
          }
          case RESET -> bare.setSoLinger(true, 0);
          case CUT_SHORT -> {
            bare.shutdownOutput();
            bare.getInputStream().readAllBytes();
          }
        }
      } catch (IOException gone) {
        // the next one
      }
    }
  }

  private static void readHead(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("gone");
      }
      head.append((char) next);
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
