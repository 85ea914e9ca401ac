package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rig.Await;
import io.weir.server.http.RawHttp2;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that do not read occupy upstream connections; honest clients are still served. */
@Tag("slow")
class SlowReadersTest {
  private static final int INITIAL_WINDOW_SIZE = 4;

  /** With several times as many unread responses, of which the buffers of the system are large. */
  private static final int HTTP1_CONNECTIONS = 48;

  private static final int HTTP1_CLIENTS = 60;
  private static final int HTTP2_CONNECTIONS = 256;
  private static final int STREAMS_OF_A_CLIENT = 100;
  private static final int ROUNDS = 40;

  /**
   * A response is known to be slow after a second: until then a new one may hold the last place.
   */
  private static final int FEWEST_SERVED = ROUNDS * 3 / 4;

  /** More than the buffers of a system hold. */
  private static final Buffer PART = Buffer.buffer(new byte[50_000]);

  private static final long PARTS = 400;

  private final AtomicInteger received = new AtomicInteger();
  private final List<AutoCloseable> clients = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable client : clients) {
      client.close();
    }
  }

  private void serve(HttpServerRequest request) {
    if (request.path().startsWith("/large")) {
      received.incrementAndGet();
      BodyPump.into(request.response().setChunked(true), PART, PARTS);
    } else {
      request.response().end("small");
    }
  }

  /** Has sent a request: until the first, it is not known how many a server with TLS takes. */
  private GatewayFixture stage(String out, int connections) throws IOException {
    GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(ProtocolCombinations.UNLIMITED)
            .server(out, this::serve)
            .settings(to -> to.forwarding().connections(connections))
            .build();
    assertThat(gatewayFixture.send("GET /small")).startsWith("HTTP/1.1 200 ");
    return gatewayFixture;
  }

  /** Loopback has many addresses. Honest clients come from the first. */
  private Socket connect(GatewayFixture gatewayFixture, int address) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4096);
    socket.bind(new InetSocketAddress("127.0.0." + (2 + address), 0));
    socket.connect(new InetSocketAddress("127.0.0.1", gatewayFixture.port()));
    clients.add(socket);
    return socket;
  }

  private void sendWithoutReading(GatewayFixture gatewayFixture, int address) throws IOException {
    connect(gatewayFixture, address)
        .getOutputStream()
        .write("GET /large HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII));
  }

  private static void assertHonestClientsAreServed(GatewayFixture gatewayFixture) throws Exception {
    for (int i = 0; i < 20; i++) {
      assertThat(gatewayFixture.send("GET /small")).startsWith("HTTP/1.1 200 ");
      Thread.sleep(20);
    }
  }

  /** Enough for more than all connections, or than all streams to a server with HTTP/2. */
  private static int http2Clients(String out) {
    boolean isHttp2 = out.equals("h2c") || out.equals(ProtocolCombinations.HTTPS_2);
    return (isHttp2 ? UpstreamClients.STREAMS : 2 * HTTP2_CONNECTIONS) / STREAMS_OF_A_CLIENT + 2;
  }

  /** Of one address, however new its requests are. */
  @ParameterizedTest
  @ValueSource(strings = {"http", ProtocolCombinations.HTTPS_1})
  void http1ClientsOfOneAddressLeaveConnectionsToOthers(String out) throws Exception {
    try (GatewayFixture gatewayFixture = stage(out, HTTP1_CONNECTIONS)) {
      for (int i = 0; i < HTTP1_CLIENTS; i++) {
        sendWithoutReading(gatewayFixture, 0);
      }
      GatewayFixture.awaitStable(received::get);
      assertHonestClientsAreServed(gatewayFixture);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "h2c", ProtocolCombinations.HTTPS_2})
  void http2ClientsOfOneAddressLeaveConnectionsToOthers(String out) throws Exception {
    try (GatewayFixture gatewayFixture = stage(out, HTTP2_CONNECTIONS)) {
      for (int i = 0; i < http2Clients(out); i++) {
        sendManyWithoutReading(gatewayFixture, 0);
      }
      GatewayFixture.awaitStable(received::get);
      assertHonestClientsAreServed(gatewayFixture);
    }
  }

  private void sendManyWithoutReading(GatewayFixture gatewayFixture, int address)
      throws IOException {
    RawHttp2 client = new RawHttp2(connect(gatewayFixture, address), INITIAL_WINDOW_SIZE, 0);
    for (int i = 0; i < STREAMS_OF_A_CLIENT; i++) {
      client.get("/large");
    }
  }

  /** They reconnect again and again, as fast as 256 connections that end after a minute. */
  @ParameterizedTest
  @CsvSource({
    "false, http",
    "true, http",
    "true, h2c",
    "true, https/2",
  })
  void abortsSlowReadersOfManyAddresses(boolean isHttp2, String out) throws Exception {
    try (GatewayFixture gatewayFixture =
        stage(out, isHttp2 ? HTTP2_CONNECTIONS : HTTP1_CONNECTIONS)) {
      for (int i = 0; i < (isHttp2 ? http2Clients(out) : HTTP1_CLIENTS); i++) {
        if (isHttp2) {
          sendManyWithoutReading(gatewayFixture, i);
        } else {
          sendWithoutReading(gatewayFixture, i % 20);
        }
      }
      GatewayFixture.awaitStable(received::get);
      int[] served = {0};
      Await.holds(
          "several are served in a row",
          () -> {
            boolean isServed = gatewayFixture.send("GET /small").startsWith("HTTP/1.1 200 ");
            served[0] = isServed ? served[0] + 1 : 0;
            return served[0] == 5;
          });
      List<String> responses = new ArrayList<>();
      for (int round = 0; round < ROUNDS; round++) {
        if (round % 5 == 0) {
          sendWithoutReading(gatewayFixture, round);
        }
        responses.add(gatewayFixture.send("GET /small").lines().findFirst().orElse(""));
        Thread.sleep(50);
      }
      assertThat(responses)
          .filteredOn(response -> response.startsWith("HTTP/1.1 200 "))
          .hasSizeGreaterThanOrEqualTo(FEWEST_SERVED);
    }
  }

  /** It reads something now and then, so that it never stalls for long. */
  @Test
  void abortsResponseToTooSlowReader() throws Exception {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(ProtocolCombinations.UNLIMITED)
            .server("http", this::serve)
            .settings(
                to -> to.forwarding().bodyTimeout(Duration.ofSeconds(3)).minResponseRate(1_000_000))
            .build()) {
      RawHttp2 client = new RawHttp2(connect(gatewayFixture, 0), INITIAL_WINDOW_SIZE, 0);
      int stream = client.get("/large");
      Thread reader = new Thread(() -> drip(client, stream), "slow reader");
      reader.setDaemon(true);
      reader.start();
      assertThat(client.outcome(stream)).isEqualTo("200");
      assertThat(client.outcome(stream)).isEqualTo("reset");
    }
  }

  private static void drip(RawHttp2 client, int stream) {
    byte[] some = ByteBuffer.allocate(4).putInt(160_000).array();
    try {
      for (int i = 0; i < 25; i++) {
        client.send(RawHttp2.WINDOW_UPDATE, 0, 0, some);
        client.send(RawHttp2.WINDOW_UPDATE, 0, stream, some);
        Thread.sleep(1000);
      }
    } catch (IOException | InterruptedException over) {
      // so is the test
    }
  }
}
