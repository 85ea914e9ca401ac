package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.util.internal.PlatformDependent;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.weir.rig.Await;
import io.weir.server.connection.ConnectionLimiter;
import io.weir.server.connection.LimitingTransport;
import io.weir.server.connection.OpenFileLimit;
import io.weir.server.connection.ServerLimits;
import io.weir.server.http.Listener;
import io.weir.server.http.RawHttp2;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ten thousand idle connections. */
@Timeout(180)
class IdleConnectionsTest {
  private static final int MANY = 10_000;
  private static final long BYTES_FOR_EACH = 32 * 1024;

  private final Vertx vertx =
      LimitingTransport.vertx(new VertxOptions().setPreferNativeTransport(true));
  private final ConnectionLimiter connectionLimiter =
      new ConnectionLimiter(
          MANY,
          new ConnectionLimiter.Timeouts(
              Duration.ofMinutes(5), Duration.ofSeconds(10), Duration.ofMinutes(5)));
  private final List<Socket> sockets = new ArrayList<>();
  private int port;

  @BeforeEach
  void listen() {
    assumeTrue(
        OpenFileLimit.get() >= MANY + 2000,
        () -> "a process may open only " + OpenFileLimit.get() + " files here: see ulimit -Hn");
    port =
        GatewayFixture.await(
                Listener.open(
                    vertx,
                    ServerLimits.PUBLIC.at("127.0.0.1", 0),
                    Optional.empty(),
                    connectionLimiter,
                    2,
                    request -> request.response().end("hi")))
            .port();
  }

  @AfterEach
  void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    GatewayFixture.await(vertx.close());
  }

  /** Sends one request and keeps the connection open. */
  private void assertServed() throws IOException {
    Socket honest = new Socket("127.0.0.1", port);
    sockets.add(honest);
    honest.setSoTimeout(30_000);
    honest.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII));
    assertThat(new String(honest.getInputStream().readNBytes(15), US_ASCII))
        .isEqualTo("HTTP/1.1 200 OK");
  }

  private static long memory() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory() + PlatformDependent.usedDirectMemory();
  }

  @Test
  void servesRequestsBesideTenThousandIdleConnections() throws IOException {
    assertServed();
    long before = memory();
    try (IdleClients idleClients = IdleClients.of(MANY - 1, port)) {
      assertThat(connectionLimiter.inside()).as("no connection was closed").isEqualTo(MANY);
      assertThat(memory() - before).isLessThan(MANY * BYTES_FOR_EACH);
      for (int i = 0; i < 500; i++) {
        assertServed();
      }
      try (RawHttp2 honest = new RawHttp2(port)) {
        assertThat(honest.outcome(honest.get("/"))).isEqualTo("200");
      }
      Await.holds("idle connections were closed", () -> connectionLimiter.inside() <= MANY);
    }
    Await.holds("all have left", () -> connectionLimiter.inside() <= sockets.size());
  }
}
