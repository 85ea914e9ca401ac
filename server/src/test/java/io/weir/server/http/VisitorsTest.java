package io.weir.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rig.Until;
import io.weir.server.door.Door;
import io.weir.server.door.Doors;
import java.io.IOException;
import java.net.Socket;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Closed connections are removed from the registry. */
class VisitorsTest {
  private final Vertx vertx = Doors.vertx(new VertxOptions());
  private final Visitors visitors = new Visitors(new Outflow());

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private int listen() {
    return Listener.open(
            vertx,
            Bounds.STRANGERS.at("127.0.0.1", 0),
            Optional.empty(),
            new Door(),
            1,
            visitors,
            VisitorsTest::answer)
        .toCompletionStage()
        .toCompletableFuture()
        .join()
        .port();
  }

  private static void answer(HttpServerRequest request) {
    if (request.path().equals("/tunnel")) {
      request.toNetSocket();
    } else {
      request.response().end();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET /", "CONNECT /tunnel"})
  void overHttp1(String asking) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", listen())) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write((asking + " HTTP/1.1\r\nHost: a\r\n\r\n").getBytes(US_ASCII));
      assertThat(socket.getInputStream().read()).isEqualTo('H');
      assertThat(visitors.haveLeft()).isFalse();
    }
    Until.holds("nobody is there", visitors::haveLeft);
  }

  @Test
  void overHttp2() throws IOException {
    try (RawHttp2 client = new RawHttp2(listen())) {
      assertThat(client.outcome(client.get("/"))).isEqualTo("200");
      assertThat(visitors.haveLeft()).isFalse();
    }
    Until.holds("nobody is there", visitors::haveLeft);
  }
}
