package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Clients that run beside many others, one after the other until this is closed: slow readers and
 * writers, clients that disconnect early, WebSockets. Their server has a large response at {@code
 * /large} and echoes WebSocket messages.
 */
final class BackgroundClients implements AutoCloseable {
  /** The size of the large response. */
  static final int LARGE = 1_000_000;

  private static final int BODY = 20_000;

  private final int port;
  private final HttpClient webSockets = HttpClient.newHttpClient();
  private final List<Thread> threads = new ArrayList<>();
  private final Map<String, AtomicLong> done = new ConcurrentHashMap<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean isOver;

  private interface Visit {
    void pay() throws Exception;
  }

  BackgroundClients(int port) {
    this.port = port;
    start("slow reader", this::readSlowly);
    start("slow reader", this::readSlowly);
    start("slow writer", this::writeSlowly);
    start("slow writer", this::writeSlowly);
    start("leaver", this::leave);
    start("WebSocket", this::talk);
    start("WebSocket", this::talk);
  }

  private void start(String kind, Visit visit) {
    AtomicLong count = done.computeIfAbsent(kind, none -> new AtomicLong());
    Thread thread =
        new Thread(
            () -> {
              try {
                while (!isOver) {
                  visit.pay();
                  count.incrementAndGet();
                }
              } catch (Exception | AssertionError e) {
                failure.compareAndSet(null, new AssertionError(kind, e));
              }
            },
            kind);
    thread.setDaemon(true);
    threads.add(thread);
    thread.start();
  }

  private Socket send(String head) throws IOException {
    Socket socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(60_000);
    socket.getOutputStream().write((head + "\r\n").getBytes(US_ASCII));
    return socket;
  }

  private void readSlowly() throws Exception {
    try (Socket socket = send("GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n")) {
      InputStream in = socket.getInputStream();
      byte[] bytes = new byte[20_000];
      long read = 0;
      for (int n = in.read(bytes); n > 0; n = in.read(bytes)) {
        read += n;
        Thread.sleep(20);
      }
      require(read > LARGE, "of the response came " + read);
    }
  }

  private void writeSlowly() throws Exception {
    String head = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: ";
    try (Socket socket = send(head + BODY + "\r\n")) {
      for (int i = 0; i < 20; i++) {
        socket.getOutputStream().write(new byte[BODY / 20]);
        Thread.sleep(50);
      }
      String response = new String(socket.getInputStream().readAllBytes(), US_ASCII);
      require(response.startsWith("HTTP/1.1 200 ") && response.endsWith("" + BODY), response);
    }
  }

  /** Disconnects while reading, then while writing. */
  private void leave() throws Exception {
    try (Socket socket = send("GET /large HTTP/1.1\r\nHost: a\r\n")) {
      require(socket.getInputStream().readNBytes(1000).length == 1000, "nothing came");
      socket.setSoLinger(true, 0);
    }
    try (Socket socket = send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n")) {
      socket.getOutputStream().write(new byte[500]);
      Thread.sleep(50);
      socket.setSoLinger(true, 0);
    }
  }

  private void talk() throws Exception {
    LinkedBlockingQueue<String> received = new LinkedBlockingQueue<>();
    WebSocket socket =
        webSockets
            .newWebSocketBuilder()
            .buildAsync(URI.create("ws://127.0.0.1:" + port + "/chat"), new TextListener(received))
            .get(60, TimeUnit.SECONDS);
    for (int i = 0; i < 10; i++) {
      String said = "message " + i;
      socket.sendText(said, true).get(60, TimeUnit.SECONDS);
      String response = received.poll(60, TimeUnit.SECONDS);
      require(said.equals(response), said + " was answered by " + response);
      Thread.sleep(10);
    }
    socket.sendClose(WebSocket.NORMAL_CLOSURE, "").get(60, TimeUnit.SECONDS);
    String last = received.poll(60, TimeUnit.SECONDS);
    require("closed".equals(last), "instead of the end came " + last);
  }

  private record TextListener(LinkedBlockingQueue<String> received) implements WebSocket.Listener {
    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence text, boolean isLast) {
      received.add(text.toString());
      socket.request(1);
      return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
      received.add("closed");
      return null;
    }

    @Override
    public void onError(WebSocket socket, Throwable error) {
      received.add(error.toString());
    }
  }

  private static void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new AssertionError(otherwise);
    }
  }

  /** The number of finished clients of each kind. */
  Map<String, AtomicLong> done() {
    return done;
  }

  /**
   * Waits until all have finished.
   *
   * @throws AssertionError if one of them was not served
   */
  @Override
  public void close() throws InterruptedException {
    isOver = true;
    for (Thread thread : threads) {
      thread.join(120_000);
    }
    if (failure.get() != null) {
      throw new AssertionError("not all were served", failure.get());
    }
  }
}
