package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.http.HttpServerRequest;
import io.weir.rig.Await;
import io.weir.server.http.RawHttp2;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Requests that arrive before the first connection to a server, when its HTTP version is not known.
 */
@Tag("slow")
class ColdStartTest {
  private static final int CONNECTIONS = 48;
  private static final int INITIAL_WINDOW_SIZE = 4;
  private static final int GREEDY_CLIENTS = 12;
  private static final int HONEST_CLIENTS = 10;

  private final CountDownLatch isFound = new CountDownLatch(1);
  private final AtomicInteger received = new AtomicInteger();
  private final List<AutoCloseable> clients = new ArrayList<>();

  @AfterEach
  void close() throws Exception {
    isFound.countDown();
    for (AutoCloseable client : clients) {
      client.close();
    }
  }

  private void serve(HttpServerRequest request) {
    received.incrementAndGet();
    if (request.path().equals("/endless")) {
      request.response().setChunked(true).write("begin");
    } else {
      request.response().end("small");
    }
  }

  /** A gateway that does not find the server until all requests are in. */
  private GatewayFixture.Builder stage() {
    return new GatewayFixture.Builder(ProtocolCombinations.UNLIMITED)
        .settings(to -> to.forwarding().connections(CONNECTIONS))
        .lookup(
            host -> {
              awaitFound();
              return new InetAddress[] {InetAddress.getByName("127.0.0.1")};
            });
  }

  private void awaitFound() {
    try {
      isFound.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Honest clients come from another address. */
  private Socket connect(GatewayFixture gatewayFixture, String address) throws IOException {
    Socket socket = new Socket();
    socket.setSoTimeout(30_000);
    socket.bind(new InetSocketAddress(address, 0));
    socket.connect(new InetSocketAddress("127.0.0.1", gatewayFixture.port()));
    clients.add(socket);
    return socket;
  }

  private Socket send(GatewayFixture gatewayFixture) throws IOException {
    Socket socket = connect(gatewayFixture, "127.0.0.1");
    socket.getOutputStream().write("GET /small HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII));
    return socket;
  }

  private static String statusLine(Socket client) throws IOException {
    return new BufferedReader(new InputStreamReader(client.getInputStream(), US_ASCII)).readLine();
  }

  /** The requests of the greedy ones come first, and their responses do not end. */
  @ParameterizedTest
  @ValueSource(strings = {"h2c", ProtocolCombinations.HTTPS_1, ProtocolCombinations.HTTPS_2})
  void greedyClientsOfOneAddressLeaveConnectionsToOthers(String out) throws Exception {
    try (GatewayFixture gatewayFixture = stage().server(out, this::serve).build()) {
      for (int i = 0; i < GREEDY_CLIENTS; i++) {
        RawHttp2 client =
            new RawHttp2(connect(gatewayFixture, "127.0.0.2"), INITIAL_WINDOW_SIZE, 0);
        client.getTogether("/endless", 100);
        client.ping(); // the gateway has read the requests
      }
      List<Socket> honest = new ArrayList<>();
      for (int i = 0; i < HONEST_CLIENTS; i++) {
        honest.add(send(gatewayFixture));
      }
      isFound.countDown();
      for (Socket client : honest) {
        assertThat(statusLine(client)).isEqualTo("HTTP/1.1 200 OK");
      }
      GatewayFixture.awaitStable(received::get);
      for (int i = 0; i < HONEST_CLIENTS; i++) {
        assertThat(statusLine(send(gatewayFixture))).isEqualTo("HTTP/1.1 200 OK");
      }
    }
  }

  /** The first request connects, and the others wait for its connection. */
  @ParameterizedTest
  @ValueSource(strings = {ProtocolCombinations.HTTPS_1, ProtocolCombinations.HTTPS_2})
  void otherRequestsAreServedIfFirstClientLeaves(String out) throws Exception {
    try (GatewayFixture gatewayFixture = stage().server(out, this::serve).build()) {
      send(gatewayFixture).close();
      Await.holds("it has left", () -> gatewayFixture.inside() == 0);
      List<Socket> others = List.of(send(gatewayFixture), send(gatewayFixture));
      Await.holds("the others are in", () -> gatewayFixture.inside() == 2);
      isFound.countDown();
      for (Socket client : others) {
        assertThat(statusLine(client)).isEqualTo("HTTP/1.1 200 OK");
      }
    }
  }

  @Test
  void waitingRequestsGet502IfServerRefusesConnections() throws Exception {
    int closed;
    try (ServerSocket free = new ServerSocket(0)) {
      closed = free.getLocalPort();
    }
    try (GatewayFixture gatewayFixture =
        stage().upstream(URI.create("https://localhost:" + closed)).build()) {
      List<Socket> all = List.of(send(gatewayFixture), send(gatewayFixture), send(gatewayFixture));
      Await.holds("they are in", () -> gatewayFixture.inside() == 3);
      isFound.countDown();
      for (Socket client : all) {
        assertThat(statusLine(client)).startsWith("HTTP/1.1 502 ");
      }
    }
  }
}
