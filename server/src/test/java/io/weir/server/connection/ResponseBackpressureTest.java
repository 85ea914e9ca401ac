package io.weir.server.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerRequest;
import io.weir.proto.ProtoWriter;
import io.weir.rig.Await;
import io.weir.rules.http.DirectResponse;
import io.weir.rules.http.Header;
import io.weir.server.grpc.GrpcMethod;
import io.weir.server.grpc.GrpcServer;
import io.weir.server.http.HttpResponses;
import io.weir.server.http.Listener;
import io.weir.server.http.RawHttp2;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Unread responses: their memory is counted and released. */
@Timeout(120)
@Tag("slow")
class ResponseBackpressureTest {
  private static final int WINDOW = 4; // SETTINGS_INITIAL_WINDOW_SIZE
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration SHORT = Duration.ofMillis(300);
  private static final int BIG = 40_000;
  private static final int HEAD = 1024;

  private final Vertx vertx = LimitingTransport.vertx(new VertxOptions());
  private final ConnectionLimiter connectionLimiter = new ConnectionLimiter();
  private final AtomicInteger received = new AtomicInteger();

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private int listen(MemoryBudget unread, Duration timeout) {
    GrpcServer server =
        new GrpcServer(any -> true, this::respond, new MemoryBudget())
            .on("a/Big", GrpcMethod.one((call, message) -> call.respond(big())))
            .on("a/Many", GrpcMethod.many((call, message) -> call.send(big())));
    ConnectionRegistry connectionRegistry =
        new ConnectionRegistry(new ResponseBackpressure(unread, timeout));
    return Listener.open(
            vertx,
            ServerLimits.PEERS.at("127.0.0.1", 0),
            Optional.empty(),
            connectionLimiter,
            1,
            connectionRegistry,
            server)
        .toCompletionStage()
        .toCompletableFuture()
        .join()
        .port();
  }

  private void respond(HttpServerRequest request) {
    received.incrementAndGet();
    if (request.path().equals("/head")) {
      Header large = new Header("a", "x".repeat(10_000));
      HttpResponses.send(request, new DirectResponse(200, List.of(large), ""));
      return;
    }
    String body = request.path().equals("/big") ? "x".repeat(BIG) : "small";
    HttpResponses.send(request, HttpResponses.json(200, body));
  }

  private static ProtoWriter big() {
    return new ProtoWriter(BIG).bytes(1, new byte[BIG - 9]); // four bytes before it, and five more
  }

  /** Requests a response of so many bytes. */
  private static int send(RawHttp2 client, String how) throws IOException {
    if (how.equals("/big")) {
      return client.get("/big");
    }
    int id =
        client.open(
            false,
            new String[] {
              ":method",
              "POST",
              ":scheme",
              "http",
              ":authority",
              "a",
              ":path",
              how,
              "content-type",
              "application/grpc",
              "te",
              "trailers"
            });
    client.data(id, !how.equals("/a/Many"), "\0\0\0\0\0");
    return id;
  }

  @ParameterizedTest
  @ValueSource(strings = {"/big", "/a/Big", "/a/Many"})
  @DisplayName(
      "resets the response beyond the memory budget; releases all when the connection ends")
  void responsesShareAMemoryBudget(String how) throws IOException {
    MemoryBudget unread = new MemoryBudget(5 * (BIG + HEAD));
    try (RawHttp2 client = new RawHttp2(listen(unread, LONG), WINDOW, 0)) {
      for (int i = 0; i < 5; i++) {
        assertThat(client.outcome(send(client, how))).isEqualTo("200");
      }
      Await.holds("five are kept", () -> unread.bytes() == 5 * (BIG + HEAD));
      int sixth = send(client, how);
      assertThat(client.outcome(sixth)).isEqualTo("200");
      assertThat(client.outcome(sixth)).isEqualTo("reset");
      assertThat(unread.bytes()).isEqualTo(5 * (BIG + HEAD));
    }
    Await.holds("nothing is kept", () -> unread.bytes() == 0);
  }

  @ParameterizedTest(name = "{0} with a window of {1}")
  @CsvSource({
    "/big,    0",
    "/big,    39999",
    "/a/Big,  0",
    "/a/Big,  39999",
    "/a/Big,  40000", // for the message, and not for the trailers
    "/a/Many, 0",
    "/a/Many, 39999"
  })
  @DisplayName("resets a stream that is not read and keeps its connection")
  void resetsStreamThatIsNotRead(String how, int window) throws IOException {
    MemoryBudget unread = new MemoryBudget();
    try (RawHttp2 client = new RawHttp2(listen(unread, SHORT), WINDOW, window)) {
      int id = send(client, how);
      assertThat(client.outcome(id)).isEqualTo("200");
      assertThat(client.outcome(id)).isEqualTo("reset");
      Await.holds("nothing is kept", () -> unread.bytes() == 0);
      assertThat(client.outcome(client.get("/small"))).isEqualTo("200");
      assertThat(connectionLimiter.inside()).isEqualTo(1);
    }
  }

  @Test
  void releasesMemoryOfResponsesReadLate() throws IOException {
    MemoryBudget unread = new MemoryBudget();
    try (RawHttp2 client = new RawHttp2(listen(unread, LONG), WINDOW, 0)) {
      send(client, "/big");
      Await.holds("it is kept", () -> unread.bytes() > 0);
      client.send(RawHttp2.SETTINGS, 0, 0, new byte[] {0, WINDOW, 0, 1, 0, 0});
      Await.holds("nothing is kept", () -> unread.bytes() == 0);
    }
  }

  @Test
  @DisplayName("closes a connection that shrinks its window while responses are buffered")
  void closesConnectionThatShrinksItsWindow() throws IOException {
    MemoryBudget unread = new MemoryBudget();
    try (RawHttp2 client = new RawHttp2(listen(unread, LONG), WINDOW, 100)) {
      int id = send(client, "/big");
      assertThat(client.outcome(id)).isEqualTo("200");
      client.send(RawHttp2.SETTINGS, 0, 0, new byte[] {0, WINDOW, 0, 0, 0, 0});
      assertThat(client.outcome(id)).isEqualTo("closed");
    }
  }

  @Test
  @DisplayName("keeps a connection that shrinks its window while no response is buffered")
  void keepsConnectionThatShrinksItsWindowWhileIdle() throws IOException {
    MemoryBudget unread = new MemoryBudget();
    try (RawHttp2 client = new RawHttp2(listen(unread, LONG), WINDOW, 65_535)) {
      int id = send(client, "/a/Many");
      assertThat(client.outcome(id)).isEqualTo("200");
      client.send(RawHttp2.SETTINGS, 0, 0, new byte[] {0, WINDOW, 0, 0, 0, 0});
      assertThat(client.outcome(client.get("/small"))).isEqualTo("200");
    }
  }

  /** Far more than all buffers between two sockets hold. */
  private static final int MANY = 400;

  @Test
  @DisplayName("closes an HTTP/2 connection that does not read")
  void closesConnectionWithUnreadStreams() throws Exception {
    MemoryBudget unread = new MemoryBudget();
    int port = listen(unread, Duration.ofSeconds(2));
    try (Socket socket = deaf(port);
        RawHttp2 client = new RawHttp2(socket, WINDOW, Integer.MAX_VALUE)) {
      client.send(RawHttp2.WINDOW_UPDATE, 0, 0, new byte[] {0x3f, 0, 0, 0});
      for (int i = 0; i < MANY; i++) {
        client.get("/big");
      }
      Await.holds("it is in", () -> received.get() > 0);
      Await.holds("it is cut off", () -> connectionLimiter.inside() == 0);
      Await.holds("nothing is kept", () -> unread.bytes() == 0);
    }
  }

  @Test
  @DisplayName("closes an HTTP/2 connection that does not read heads, which no window limits")
  void closesConnectionWithUnreadHeads() throws Exception {
    MemoryBudget unread = new MemoryBudget();
    int port = listen(unread, Duration.ofSeconds(2));
    try (Socket socket = deaf(port);
        RawHttp2 client = new RawHttp2(socket)) {
      for (int i = 0; i < 4 * MANY; i++) {
        client.open(
            true, ":method", "HEAD", ":scheme", "http", ":authority", "a", ":path", "/head");
      }
      Await.holds("it is in", () -> received.get() > 0);
      Await.holds("it is cut off", () -> connectionLimiter.inside() == 0);
      Await.holds("nothing is kept", () -> unread.bytes() == 0);
    }
  }

  @Test
  @DisplayName("stops answering and then closes an HTTP/1 connection that does not read")
  void closesConnectionThatDoesNotRead() throws Exception {
    MemoryBudget unread = new MemoryBudget();
    int port = listen(unread, Duration.ofSeconds(5));
    try (Socket socket = deaf(port)) {
      String all = "GET /big HTTP/1.1\r\nHost: a\r\n\r\n".repeat(MANY);
      socket.getOutputStream().write(all.getBytes(US_ASCII));
      Await.holds("it is counted", () -> unread.bytes() > 0);
      assertThat(unread.bytes()).isLessThanOrEqualTo(3 * (BIG + HEAD));
      Await.holds("it is cut off", () -> connectionLimiter.inside() == 0);
      Await.holds("nothing is kept", () -> unread.bytes() == 0);
      assertThat(received.get()).isLessThan(MANY);
    }
  }

  private static Socket deaf(int port) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4096);
    socket.connect(new InetSocketAddress("127.0.0.1", port));
    return socket;
  }

  @Test
  @DisplayName("a slow reader receives everything, and no memory is kept")
  void keepsConnectionThatReads() throws Exception {
    MemoryBudget unread = new MemoryBudget();
    try (Socket socket = deaf(listen(unread, LONG))) {
      String all = "GET /big HTTP/1.1\r\nHost: a\r\n\r\n".repeat(MANY);
      socket.getOutputStream().write(all.getBytes(US_ASCII));
      Await.holds("it is counted", () -> unread.bytes() > 0);
      socket.setSoTimeout(30_000);
      assertThat(socket.getInputStream().readNBytes(MANY * BIG)).hasSize(MANY * BIG);
      Await.holds("all are answered", () -> received.get() == MANY);
      Await.holds("nothing is kept", () -> unread.bytes() == 0);
    }
  }
}
