package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.internal.PlatformDependent;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.rig.Until;
import java.io.IOException;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * What was read and not handed on when a connection broke is given back: Vert.x keeps it otherwise,
 * and each client that goes away at the right moment would cost some memory for ever.
 */
class LeaksTest {
  private static final String MANY = "rules: [ { name: many, limit: 100000 per second } ]";
  private static final int ROUNDS = 40;
  private static final int CROWD = 50;
  private static final long MUCH = 3L * 1024 * 1024;

  /** Pours, within reason, until nobody takes it any more. */
  private static void pour(HttpServerRequest request) {
    HttpServerResponse response = request.response().setChunked(true);
    response.exceptionHandler(gone -> {});
    Buffer part = Buffer.buffer(new byte[60_000]);
    AtomicInteger left = new AtomicInteger(500);
    Runnable more =
        () -> {
          while (left.getAndDecrement() > 0 && !response.closed() && !response.writeQueueFull()) {
            response.write(part);
          }
        };
    response.drainHandler(room -> more.run());
    more.run();
  }

  @Test
  void ofResponsesThatNobodyWaitsFor() throws Exception {
    AtomicInteger open = new AtomicInteger();
    try (Stage stage =
        new Stage.Builder(MANY)
            .server(
                "http",
                request -> {
                  open.incrementAndGet();
                  request.response().closeHandler(gone -> open.decrementAndGet());
                  pour(request);
                })
            .build()) {
      assertNothingIsKept(
          open,
          () -> {
            Socket socket = stage.connect();
            socket.setReceiveBufferSize(16_384);
            socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII));
            return socket;
          });
    }
  }

  @Test
  void ofRequestsBehindOneThatIsNotAnswered() throws Exception {
    AtomicInteger open = new AtomicInteger();
    String behind = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx".repeat(600);
    byte[] all = ("GET / HTTP/1.1\r\nHost: a\r\n\r\n" + behind).getBytes(US_ASCII);
    try (Stage stage =
        new Stage.Builder(MANY)
            .server(
                "http",
                request -> {
                  open.incrementAndGet();
                  request.response().closeHandler(gone -> open.decrementAndGet());
                })
            .build()) {
      crowd(stage, all, open);
      long before = PlatformDependent.usedDirectMemory();
      for (int i = 0; i < 6; i++) { // 10 MB
        crowd(stage, all, open);
      }
      assertThat(PlatformDependent.usedDirectMemory() - before).isLessThan(MUCH);
    }
  }

  /** Many send the same, and leave without a word when the server has been asked by all of them. */
  private static void crowd(Stage stage, byte[] all, AtomicInteger open) throws IOException {
    List<Socket> sockets = new ArrayList<>();
    for (int i = 0; i < CROWD; i++) {
      Socket socket = stage.connect();
      socket.getOutputStream().write(all);
      sockets.add(socket);
    }
    Until.holds("the server is asked", () -> open.get() == CROWD);
    for (Socket socket : sockets) {
      socket.setSoLinger(true, 0);
      socket.close();
    }
    Until.holds("the server is told", () -> open.get() == 0);
  }

  private interface Client {
    Socket connect() throws IOException;
  }

  private static void assertNothingIsKept(AtomicInteger open, Client client) throws Exception {
    round(open, client, 10);
    long before = PlatformDependent.usedDirectMemory();
    round(open, client, ROUNDS);
    assertThat(PlatformDependent.usedDirectMemory() - before).isLessThan(MUCH);
  }

  private static void round(AtomicInteger open, Client client, int times) throws Exception {
    for (int i = 0; i < times; i++) {
      try (Socket socket = client.connect()) {
        Until.holds("the server is asked", () -> open.get() > 0);
        Thread.sleep(100); // until everything is full; if not, there is less to be found
        socket.setSoLinger(true, 0);
      }
      Until.holds("the server is told", () -> open.get() == 0);
    }
  }
}
