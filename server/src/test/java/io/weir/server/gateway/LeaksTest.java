package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.internal.PlatformDependent;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.weir.rig.Await;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Input that was read but not consumed when a connection broke is released. Vert.x keeps it
 * otherwise, and each client that disconnects at the right moment would leak memory.
 */
@Tag("slow")
class LeaksTest {
  private static final String MANY = "rules: [ { name: many, limit: 100000 per second } ]";
  private static final Buffer PART = Buffer.buffer(new byte[60_000]);
  private static final int ROUNDS = 40;
  private static final int CROWD = 50;
  private static final long MUCH = 3L * 1024 * 1024;

  @Test
  void releasesResponsesOfGoneClients() throws Exception {
    AtomicInteger open = new AtomicInteger();
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .server(
                "http",
                request -> {
                  open.incrementAndGet();
                  request.response().closeHandler(gone -> open.decrementAndGet());
                  BodyPump.into(request.response().setChunked(true), PART, 500);
                })
            .build()) {
      assertNothingIsKept(
          open,
          () -> {
            Socket socket = gatewayFixture.connect();
            socket.setReceiveBufferSize(16_384);
            socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII));
            return socket;
          });
    }
  }

  @Test
  void releasesPipelinedRequestsOfGoneClients() throws Exception {
    AtomicInteger received = new AtomicInteger();
    AtomicInteger open = new AtomicInteger();
    String behind = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx".repeat(600);
    byte[] all = ("GET / HTTP/1.1\r\nHost: a\r\n\r\n" + behind).getBytes(US_ASCII);
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .server(
                "http",
                request -> {
                  received.incrementAndGet();
                  open.incrementAndGet();
                  request.response().closeHandler(gone -> open.decrementAndGet());
                })
            .settings(to -> to.forwarding().responseTimeout(Duration.ofSeconds(1)))
            .build()) {
      crowd(gatewayFixture, all, received, open);
      assertNothingIsKept(
          () -> {
            for (int i = 0; i < 6; i++) { // 10 MB
              crowd(gatewayFixture, all, received, open);
            }
          });
    }
  }

  /** Many clients send the same request and disconnect after all of them were forwarded. */
  private static void crowd(
      GatewayFixture gatewayFixture, byte[] all, AtomicInteger received, AtomicInteger open)
      throws IOException {
    int before = received.get();
    List<Socket> sockets = new ArrayList<>();
    for (int i = 0; i < CROWD; i++) {
      Socket socket = gatewayFixture.connect();
      socket.getOutputStream().write(all);
      sockets.add(socket);
    }
    Await.holds("the server has the requests", () -> received.get() >= before + CROWD);
    for (Socket socket : sockets) {
      socket.setSoLinger(true, 0);
      socket.close();
    }
    Await.holds("the server sees the abort", () -> open.get() == 0);
  }

  /** In each phase: in a body, before a response, within it; by a reset or an orderly close. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST /body HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf",
        "POST /body HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n",
        "GET /silent HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /half HTTP/1.1\r\nHost: a\r\n\r\n",
      })
  void releasesInputOfServerConnections(String said) throws Exception {
    GatewayFixture.Builder builder = new GatewayFixture.Builder(MANY);
    builder.settings(to -> to.forwarding().responseTimeout(Duration.ofMinutes(5)));
    AtomicInteger received = new AtomicInteger();
    HttpServer server =
        GatewayFixture.listen(
            builder.vertx,
            request -> {
              received.incrementAndGet();
              if (request.path().equals("/half")) {
                request.response().setChunked(true).write("half");
              } else if (request.path().equals("/")) {
                request.response().end();
              }
            });
    int port = server.actualPort();
    try (GatewayFixture gatewayFixture =
        builder.upstream(URI.create("http://127.0.0.1:" + port)).build()) {
      for (boolean resets : List.of(true, false)) {
        received.set(0);
        List<Socket> clients = new ArrayList<>();
        for (int i = 0; i < CROWD; i++) {
          Socket client = gatewayFixture.connect();
          client.getOutputStream().write(said.getBytes(US_ASCII));
          clients.add(client);
        }
        Await.holds("the server has the requests", () -> received.get() == CROWD);
        assertThat(Sockets.to(port)).isEqualTo(CROWD);
        for (Socket client : clients) {
          client.setSoLinger(resets, 0);
          client.close();
        }
        Await.holds("no connection is left", () -> Sockets.to(port) == 0);
      }
      assertThat(gatewayFixture.send("GET /")).startsWith("HTTP/1.1 200 ");
      assertThat(Sockets.to(port)).as("this one is kept").isEqualTo(1);
    }
  }

  private interface Client {
    Socket connect() throws IOException;
  }

  private static void assertNothingIsKept(AtomicInteger open, Client client) throws Exception {
    round(open, client, 10);
    assertNothingIsKept(() -> round(open, client, ROUNDS));
  }

  private interface Rounds {
    void go() throws Exception;
  }

  /** Pools grow now and then by more than this, but not each time. */
  private static void assertNothingIsKept(Rounds rounds) throws Exception {
    long min = Long.MAX_VALUE;
    for (int i = 0; i < 3 && min >= MUCH; i++) {
      long before = PlatformDependent.usedDirectMemory();
      rounds.go();
      min = Math.min(min, PlatformDependent.usedDirectMemory() - before);
    }
    assertThat(min).isLessThan(MUCH);
  }

  private static void round(AtomicInteger open, Client client, int times) throws Exception {
    for (int i = 0; i < times; i++) {
      try (Socket socket = client.connect()) {
        Await.holds("the server has the requests", () -> open.get() > 0);
        Thread.sleep(100); // until everything is full; if not, there is less to be found
        socket.setSoLinger(true, 0);
      }
      Await.holds("the server sees the abort", () -> open.get() == 0);
    }
  }
}
