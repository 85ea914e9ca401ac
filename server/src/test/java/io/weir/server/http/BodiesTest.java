package io.weir.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.weir.rig.Await;
import io.weir.rules.http.TrustedProxies;
import io.weir.server.connection.LimitingTransport;
import io.weir.server.connection.MemoryBudget;
import io.weir.server.connection.ServerLimits;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bodies that are never complete. */
class BodiesTest {
  private final Vertx vertx = LimitingTransport.vertx(new VertxOptions());
  private final MemoryBudget partialBudget = new MemoryBudget(1500);
  private Duration timeout = Duration.ofMillis(50);
  private UnfinishedBodies unfinished = new UnfinishedBodies(partialBudget);

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  /** {@link Bodies#read} with a very short timeout. */
  private Listener listen() {
    return Listener.open(
            vertx,
            ServerLimits.PEERS.at("127.0.0.1", 0),
            1,
            request ->
                new BodyReader(
                        request, 1000, timeout, unfinished, body -> request.response().end(body))
                    .read())
        .toCompletionStage()
        .toCompletableFuture()
        .join();
  }

  @Test
  void refusesBodyThatIsTooSlow() throws IOException {
    assertThat(begin("Content-Length: 10", "half"))
        .startsWith("HTTP/1.1 408 ")
        .containsIgnoringCase("connection: close")
        .contains("\"error\":\"request_timeout\"");
    assertThat(begin("Transfer-Encoding: chunked", "4\r\nhalf\r\n")).startsWith("HTTP/1.1 408 ");
  }

  @Test
  void refusesBodyThatNeverBegins() throws IOException {
    assertThat(begin("Content-Length: 10", "")).startsWith("HTTP/1.1 408 ");
    assertThat(begin("Transfer-Encoding: chunked", "")).startsWith("HTTP/1.1 408 ");
  }

  /** With few files a port has few places: bodies that never come must not take them all. */
  @Test
  void endsOldestIncompleteBodyOfAnAddress() throws Exception {
    timeout = Duration.ofMinutes(1);
    unfinished = new UnfinishedBodies(partialBudget, new TrustedProxies(List.of()), 3, 100);
    int port = listen().port();
    List<Socket> all = new ArrayList<>();
    try {
      for (int i = 0; i < 4; i++) {
        int before = i; // each is counted before the next begins
        Await.holds("counted", () -> unfinished.number() == before);
        Socket socket = new Socket("127.0.0.1", port);
        all.add(socket);
        socket.setSoTimeout(30_000);
        socket
            .getOutputStream()
            .write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n".getBytes(UTF_8));
      }
      byte[] response = all.get(0).getInputStream().readAllBytes();
      assertThat(new String(response, UTF_8)).startsWith("HTTP/1.1 408 ");
      for (Socket later : all.subList(1, 4)) {
        later.getOutputStream().write("abc".getBytes(UTF_8));
        byte[] first = later.getInputStream().readNBytes(12);
        assertThat(new String(first, UTF_8)).isEqualTo("HTTP/1.1 200");
      }
    } finally {
      for (Socket socket : all) {
        socket.close();
      }
    }
  }

  @Test
  void incompleteBodiesShareAMemoryBudget() throws IOException {
    timeout = Duration.ofMinutes(1);
    String half = "a".repeat(900);
    try (Socket first = new Socket("127.0.0.1", listen().port())) {
      first
          .getOutputStream()
          .write(
              ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 901\r\n\r\n" + half).getBytes(UTF_8));
      Await.holds("it is counted", () -> partialBudget.bytes() == 900);
      assertThat(begin("Content-Length: 901", half))
          .startsWith("HTTP/1.1 503 ")
          .contains("\"error\":\"too_many_bodies\"");
      assertThat(partialBudget.bytes()).isEqualTo(900);
    }
    Await.holds("it is given back", () -> partialBudget.bytes() == 0);
  }

  /** Reads until the connection is closed. */
  private String begin(String length, String body) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", listen().port())) {
      socket.setSoTimeout(30_000);
      String request = "POST / HTTP/1.1\r\nHost: a\r\n" + length + "\r\n\r\n" + body;
      socket.getOutputStream().write(request.getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }
}
