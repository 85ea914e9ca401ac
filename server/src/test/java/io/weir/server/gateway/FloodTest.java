package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.weir.rig.Await;
import io.weir.server.connection.ConnectionLimiter;
import io.weir.server.connection.LimitingTransport;
import io.weir.server.connection.ServerLimits;
import io.weir.server.http.Listener;
import io.weir.server.http.RawHttp2;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Floods of all kinds: the port stays open and honest clients are served. */
@Tag("slow")
class FloodTest {
  private static final int MAX_CONNECTIONS = 400;
  private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

  private final Vertx vertx = LimitingTransport.vertx(new VertxOptions());
  private final ConnectionLimiter connectionLimiter =
      new ConnectionLimiter(
          MAX_CONNECTIONS,
          new ConnectionLimiter.Timeouts(
              Duration.ofSeconds(20), Duration.ofSeconds(1), Duration.ofMinutes(2)));
  private final List<Socket> sockets = new ArrayList<>();
  private int port;

  @BeforeEach
  void listen() {
    Future<Listener> listener =
        Listener.open(
            vertx,
            ServerLimits.PUBLIC.at("127.0.0.1", 0),
            Optional.empty(),
            connectionLimiter,
            2,
            request -> request.response().end("hi"));
    port = listener.toCompletionStage().toCompletableFuture().join().port();
  }

  @AfterEach
  void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private void assertServed() throws IOException {
    for (int i = 0; i < 5; i++) {
      try (Socket honest = connect()) {
        honest.getOutputStream().write(GET.getBytes(US_ASCII));
        assertThat(new String(honest.getInputStream().readNBytes(15), US_ASCII))
            .isEqualTo("HTTP/1.1 200 OK");
      }
      try (RawHttp2 honest = new RawHttp2(port)) {
        assertThat(honest.outcome(honest.get("/"))).isEqualTo("200");
      }
    }
  }

  private boolean served() {
    try {
      assertServed();
      return true;
    } catch (IOException | AssertionError notYet) {
      return false;
    }
  }

  private Socket connect() throws IOException {
    Socket socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(30_000);
    sockets.add(socket);
    return socket;
  }

  @Test
  void limitsIdleConnections() throws IOException {
    for (int i = 0; i < 5 * MAX_CONNECTIONS; i++) {
      try {
        Socket idle = connect();
        if (i % 2 == 0) {
          idle.getOutputStream().write(GET.getBytes(US_ASCII));
        }
      } catch (SocketException turnedAway) {
        // as it should be
      }
    }
    // And one more that is just being accepted.
    assertThat(connectionLimiter.inside())
        .isLessThanOrEqualTo(MAX_CONNECTIONS + MAX_CONNECTIONS / 8 + 1);
    assertServed();
  }

  @Test
  void limitsSilentConnections() throws IOException {
    for (int i = 0; i < 3 * MAX_CONNECTIONS; i++) {
      connect();
    }
    assertServed();
  }

  @Test
  void limitsSlowHeads() throws IOException {
    for (int i = 0; i < MAX_CONNECTIONS + 20; i++) {
      try {
        connect().getOutputStream().write("GET / HTTP/1.1\r\nX: ".getBytes(US_ASCII));
      } catch (SocketException turnedAway) {
        // as it should be
      }
    }
    Await.holds("a client is served", () -> served());
    for (int i = 0; i < 10; i++) {
      for (Socket slow : new ArrayList<>(sockets)) {
        try {
          slow.getOutputStream().write('x');
        } catch (SocketException cut) {
          sockets.remove(slow);
        }
      }
      assertServed();
    }
    Await.holds("all are cut off", () -> connectionLimiter.inside() < 30);
  }

  @ParameterizedTest
  @CsvSource({"99, 200", "101, 431", "5000, 431"})
  void limitsHeaders(int count, String status) throws IOException {
    StringBuilder head = new StringBuilder("GET / HTTP/1.1\r\nHost: a\r\n");
    for (int i = 1; i < count; i++) {
      head.append('x').append(i).append(":\r\n");
    }
    Socket client = connect();
    client.getOutputStream().write(head.append("\r\n").toString().getBytes(US_ASCII));
    assertThat(new String(client.getInputStream().readNBytes(12), US_ASCII)).endsWith(status);
    assertServed();
  }

  @Test
  void limitsHttp2Headers() throws IOException {
    String[] headers = new String[2 * 3000];
    for (int i = 0; i < headers.length; i += 2) {
      headers[i] = "x" + i;
      headers[i + 1] = "";
    }
    byte[] block = RawHttp2.block(headers);
    try (RawHttp2 client = new RawHttp2(port)) {
      client.send(RawHttp2.HEADERS, 0, 1, RawHttp2.block(":method", "GET", ":path", "/"));
      for (int from = 0; from < block.length; from += 16_000) {
        int to = Math.min(block.length, from + 16_000);
        int flags = to == block.length ? RawHttp2.END_HEADERS : 0;
        client.send(RawHttp2.CONTINUATION, flags, 1, java.util.Arrays.copyOfRange(block, from, to));
      }
      assertThat(client.outcome(1)).isIn("431", "reset", "goaway", "closed");
    }
    assertServed();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 10, 1000})
  void limitsContinuationFrames(int length) throws IOException {
    byte[] part = length == 0 ? new byte[0] : RawHttp2.block("x", "y".repeat(length));
    try (RawHttp2 client = new RawHttp2(port)) {
      client.send(RawHttp2.HEADERS, 0, 1, RawHttp2.block(":method", "GET"));
      for (int i = 0; i < 20_000; i++) {
        client.send(RawHttp2.CONTINUATION, 0, 1, part);
      }
      assertThat(client.outcome(1)).isIn("431", "reset", "goaway", "closed");
    }
    assertServed();
  }

  @Test
  void limitsStreamResets() throws IOException {
    try (RawHttp2 client = new RawHttp2(port)) {
      for (int i = 0; i < 2000; i++) {
        client.open();
        client.reset();
      }
      assertThat(client.errorOfGoodbye()).as("ENHANCE_YOUR_CALM").isEqualTo(11);
    }
    assertServed();
  }

  /** Frames to which a server responds, or which it processes, without a request. */
  @ParameterizedTest
  @CsvSource({
    "PING,          6, 0, 8",
    "SETTINGS,      4, 0, 0",
    "PRIORITY,      2, 1, 5",
    "WINDOW_UPDATE, 8, 0, 4",
    "unknown,      99, 0, 0",
  })
  void limitsControlFrames(String name, int type, int stream, int length) throws IOException {
    byte[] payload = new byte[length];
    if (length > 0) {
      payload[length - 1] = 1;
    }
    try (RawHttp2 client = new RawHttp2(port)) {
      for (int i = 0; i < 30_000; i++) {
        client.send(type, 0, stream == 1 ? 2 * i + 1 : 0, payload);
      }
      assertServed();
    }
  }

  @Test
  void limitsEmptyDataFrames() throws IOException {
    try (RawHttp2 client = new RawHttp2(port)) {
      int id = client.open(false, ":method", "POST", ":scheme", "http", ":path", "/");
      for (int i = 0; i < 20_000; i++) {
        client.data(id, false, "");
      }
      assertServed();
    }
  }
}
