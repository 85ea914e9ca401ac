package io.weir.server.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rig.Await;
import io.weir.server.http.Listener;
import io.weir.server.http.RawHttp2;
import java.io.IOException;
import java.net.Socket;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Closed connections are removed from the registry. */
class ConnectionRegistryTest {
  private final Vertx vertx = LimitingTransport.vertx(new VertxOptions());
  private final ConnectionRegistry connectionRegistry =
      new ConnectionRegistry(new ResponseBackpressure());

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private int listen() {
    return Listener.open(
            vertx,
            ServerLimits.PUBLIC.at("127.0.0.1", 0),
            Optional.empty(),
            new ConnectionLimiter(),
            1,
            connectionRegistry,
            ConnectionRegistryTest::respond)
        .toCompletionStage()
        .toCompletableFuture()
        .join()
        .port();
  }

  private static void respond(HttpServerRequest request) {
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
      assertThat(connectionRegistry.isEmpty()).isFalse();
    }
    Await.holds("no connection is left", connectionRegistry::isEmpty);
  }

  @Test
  void overHttp2() throws IOException {
    try (RawHttp2 client = new RawHttp2(listen())) {
      assertThat(client.outcome(client.get("/"))).isEqualTo("200");
      assertThat(connectionRegistry.isEmpty()).isFalse();
    }
    Await.holds("no connection is left", connectionRegistry::isEmpty);
  }
}
