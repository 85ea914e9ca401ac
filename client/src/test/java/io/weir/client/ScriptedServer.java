package io.weir.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server on plain sockets that sends any bytes a test needs, well formed or not. */
final class ScriptedServer implements AutoCloseable {
  private final ServerSocket listener;
  private final Script script;
  private final Queue<Socket> open = new ConcurrentLinkedQueue<>();
  private final Thread accepting;

  /** The requests that came, each with its head and its body. */
  final List<String> requests = new CopyOnWriteArrayList<>();

  /** Writes the response to a request. */
  @FunctionalInterface
  interface Script {
    /**
     * Writes a response.
     *
     * @param turn 1 for the first request of all
     */
    void respond(int turn, String request, OutputStream out) throws Exception;
  }

  ScriptedServer(Script script) throws IOException {
    this.script = script;
    listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
    accepting = start(this::accept);
  }

  /** A server that sends these responses one after the other, and the last for ever. */
  static ScriptedServer saying(String... responses) throws IOException {
    return new ScriptedServer(
        (turn, request, out) ->
            out.write(responses[Math.min(turn, responses.length) - 1].getBytes(ISO_8859_1)));
  }

  /** A complete response. Headers are separated by {@code |}. */
  static String response(int status, String headers, String body) {
    String lines = headers.isEmpty() ? "" : headers.replace("|", "\r\n") + "\r\n";
    return "HTTP/1.1 %d Said\r\n%sContent-Length: %d\r\n\r\n%s"
        .formatted(status, lines, body.length(), body);
  }

  URI url(String path) {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort() + path);
  }

  private static Thread start(Runnable task) {
    Thread thread = new Thread(task, "scripted");
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        open.add(socket);
        start(() -> serve(socket));
      }
    } catch (IOException closed) {
      // the test has ended
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = socket.getInputStream();
      for (String head = head(in); !head.isEmpty(); head = head(in)) {
        String request = head + body(head, in);
        int turn;
        synchronized (requests) {
          requests.add(request);
          turn = requests.size();
        }
        script.respond(turn, request, socket.getOutputStream());
        socket.getOutputStream().flush();
      }
    } catch (Exception e) {
      // the client or the script closed the connection
    }
  }

  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    for (int b = in.read(); b >= 0; b = in.read()) {
      head.append((char) b);
      if (head.length() >= 4 && head.substring(head.length() - 4).equals("\r\n\r\n")) {
        return head.toString();
      }
    }
    return "";
  }

  private static String body(String head, InputStream in) throws IOException {
    for (String line : head.split("\r\n")) {
      if (line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:")) {
        int length = Integer.parseInt(line.substring(15).strip());
        return new String(in.readNBytes(length), ISO_8859_1);
      }
    }
    return "";
  }

  /**
   * After it returns, connections are refused: the kernel accepts until the accepting thread has
   * ended.
   */
  @Override
  public void close() throws IOException {
    listener.close();
    try {
      accepting.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (Closeable socket : open) {
      socket.close();
    }
  }
}
