package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;

/** A server that answers the head of a request with some bytes, and hangs up. */
final class BrokenUpstream implements AutoCloseable {
  private final ServerSocket server;
  private final byte[] answer;
  private final boolean resets;

  /**
   * Answers by {@code bytes}.
   *
   * @param resets whether it hangs up as a process does that is killed
   */
  BrokenUpstream(String bytes, boolean resets) throws IOException {
    this.answer = bytes.getBytes(ISO_8859_1);
    this.resets = resets;
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread thread = new Thread(this::accept, "broken upstream");
    thread.setDaemon(true);
    thread.start();
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + server.getLocalPort());
  }

  private void accept() {
    while (!server.isClosed()) {
      try (Socket socket = server.accept()) {
        readHead(socket.getInputStream());
        socket.getOutputStream().write(answer);
        if (resets) {
          socket.setSoLinger(true, 0);
        } else {
          socket.shutdownOutput();
          socket.getInputStream().readAllBytes(); // or it is a reset
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
