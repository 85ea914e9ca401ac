package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rig.Await;
import io.weir.rig.FaultyProxy;
import io.weir.server.ForwardingBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every wait has a timeout, and slow clients or servers do not block others. */
@Tag("slow")
class DeadlinesTest {
  private static final String MANY = "rules: [ { name: many, limit: 100000 per second } ]";
  private static final Duration SHORT = Duration.ofMillis(400);

  private static GatewayFixture before(
      String out,
      Consumer<ForwardingBuilder> settings,
      io.vertx.core.Handler<HttpServerRequest> server) {
    return new GatewayFixture.Builder(MANY)
        .server(out, server)
        .settings(to -> settings.accept(to.forwarding()))
        .build();
  }

  private static void hello(HttpServerRequest request) {
    request.body().onSuccess(body -> request.response().end("got " + body.length()));
  }

  @ParameterizedTest
  @CsvSource({"HTTP_1_1, http", "HTTP_2, h2c"})
  void silentServerIs504(HttpVersion in, String out) {
    AtomicInteger gone = new AtomicInteger();
    ManualTime clock = TimeSource.manual();
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .clock(clock)
            .server(out, request -> request.response().closeHandler(c -> gone.incrementAndGet()))
            .build()) {
      GatewayFixture.Whole whole =
          GatewayFixture.awaitTimeout(
              clock,
              gatewayFixture.client(in).request(HttpMethod.GET, "/").compose(GatewayFixture::sent));
      assertThat(whole.status()).isEqualTo(504);
      assertThat(whole.body()).contains("gateway_timeout", "did not answer in time");
      Await.holds("the server sees the abort", () -> gone.get() == 1);
    }
  }

  /** As when a middlebox drops a connection silently. */
  @Test
  void closesSilentlyDeadConnection() throws IOException {
    GatewayFixture.Builder builder =
        new GatewayFixture.Builder(MANY)
            .settings(to -> to.forwarding().responseTimeout(GatewayFixture.SHORT));
    HttpServer server = GatewayFixture.listen(builder.vertx, DeadlinesTest::hello);
    try (FaultyProxy between = new FaultyProxy(server.actualPort());
        GatewayFixture gatewayFixture =
            builder.upstream(URI.create("h2c://127.0.0.1:" + between.port())).build()) {
      assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 200 ");
      between.both(FaultyProxy.Fault.SWALLOW);
      assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 504 ");
      between.heal(); // for others
      Await.holds("there is another", () -> gatewayFixture.get().startsWith("HTTP/1.1 200 "));
      assertThat(between.accepted()).isEqualTo(2);
    }
  }

  /** A slow response does not mean a dead connection: its other requests continue. */
  @Test
  void keepsConnectionWithASlowResponse() throws Exception {
    AtomicInteger connections = new AtomicInteger();
    List<HttpServerRequest> received = new CopyOnWriteArrayList<>();
    try (GatewayFixture gatewayFixture =
        before(
            "h2c",
            to -> to.responseTimeout(GatewayFixture.SHORT),
            request -> {
              if (received.isEmpty() || received.get(0).connection() != request.connection()) {
                connections.incrementAndGet();
              }
              received.add(request);
              if (!request.path().equals("/slow")) {
                request.response().end();
              }
            })) {
      assertThat(gatewayFixture.send("GET /slow")).startsWith("HTTP/1.1 504 ");
      Thread.sleep(3500); // longer than the ping timeout
      assertThat(gatewayFixture.send("GET /quick")).startsWith("HTTP/1.1 200 ");
      assertThat(connections).hasValue(1);
    }
  }

  @ParameterizedTest
  @CsvSource({"HTTP_1_1, http", "HTTP_1_1, h2c", "HTTP_2, http", "HTTP_2, h2c"})
  void abortsResponseThatStalls(HttpVersion in, String out) {
    try (GatewayFixture gatewayFixture =
        before(
            out,
            to -> to.bodyTimeout(SHORT),
            request -> request.response().putHeader("Content-Length", "100").write("half"))) {
      var body =
          gatewayFixture
              .client(in)
              .request(HttpMethod.GET, "/")
              .compose(HttpClientRequest::send)
              .compose(HttpClientResponse::body);
      assertThatThrownBy(() -> GatewayFixture.await(body))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void clientThatStopsMidBodyIs408() throws IOException {
    try (GatewayFixture gatewayFixture =
        before("http", to -> to.bodyTimeout(SHORT), DeadlinesTest::hello)) {
      assertThat(
              gatewayFixture.raw("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf"))
          .startsWith("HTTP/1.1 408 ")
          .contains("\"error\":\"request_timeout\"")
          .containsIgnoringCase("ratelimit: \"many\"");
    }
  }

  /** Unread bytes are dropped. */
  @Test
  void aServerThatDoesNotTakeTheBodyIs504() throws IOException {
    ManualTime clock = TimeSource.manual();
    try (ServerSocket deaf = deaf();
        GatewayFixture gatewayFixture =
            new GatewayFixture.Builder(MANY)
                .clock(clock)
                .upstream(URI.create("http://127.0.0.1:" + deaf.getLocalPort()))
                .settings(to -> to.forwarding().bodyTimeout(Duration.ofMinutes(1)))
                .build()) {
      List<HttpClientRequest> requests = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        HttpClientRequest request =
            GatewayFixture.await(
                gatewayFixture.client(HttpVersion.HTTP_2).request(HttpMethod.POST, "/"));
        request.setChunked(true);
        Buffer part = Buffer.buffer(new byte[100_000]);
        for (int j = 0; j < 200; j++) {
          request.write(part);
        }
        requests.add(request);
      }
      for (HttpClientRequest request : requests) {
        assertThat(GatewayFixture.awaitTimeout(clock, request.response()).statusCode())
            .isEqualTo(504);
      }
      Await.holds("no connection is left", () -> Sockets.to(deaf.getLocalPort()) == 0);
    }
  }

  /** The server accepts connections and does not read. */
  private static ServerSocket deaf() throws IOException {
    ServerSocket server = new ServerSocket();
    server.setReceiveBufferSize(16_384);
    server.bind(new InetSocketAddress("127.0.0.1", 0));
    return server;
  }

  @Test
  void closesClientThatDoesNotReadTheResponse() throws IOException {
    Buffer part = Buffer.buffer(new byte[50_000]);
    AtomicInteger received = new AtomicInteger();
    try (GatewayFixture gatewayFixture =
            before(
                "http",
                to -> to.bodyTimeout(SHORT),
                request -> {
                  received.incrementAndGet();
                  BodyPump.into(request.response().setChunked(true), part, BodyPump.ENDLESS);
                });
        Socket client = new Socket()) {
      client.setReceiveBufferSize(16_384);
      client.connect(new InetSocketAddress("127.0.0.1", gatewayFixture.port()));
      client.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII));
      Await.holds("it is answered", () -> received.get() == 1);
      Await.holds("no connection is left", () -> Sockets.from(gatewayFixture.port()) == 0);
    }
  }

  /** A byte now and then is not idle, but too slow for a body. */
  @Test
  void slowlySentBodyIs408() throws Exception {
    try (GatewayFixture gatewayFixture =
            before(
                "http",
                to -> to.bodyTimeout(Duration.ofSeconds(1)).minBodyRate(1000),
                DeadlinesTest::hello);
        Socket client = gatewayFixture.connect()) {
      client
          .getOutputStream()
          .write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n".getBytes(US_ASCII));
      for (int i = 0; i < 90 && client.getInputStream().available() == 0; i++) {
        client.getOutputStream().write('x');
        Thread.sleep(50);
      }
      assertThat(new String(client.getInputStream().readNBytes(12), US_ASCII))
          .isEqualTo("HTTP/1.1 408");
    }
  }

  @Test
  void aServerThatCannotBeConnectedToInTimeIs504() throws IOException {
    // A connect that is not accepted and meets a full backlog gets no reply at all.
    try (ServerSocket full = new ServerSocket(0, 1)) {
      List<Socket> waiting = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Socket socket = new Socket();
        try {
          socket.connect(full.getLocalSocketAddress(), 300);
        } catch (IOException e) {
          // full
        }
        waiting.add(socket);
      }
      try (GatewayFixture gatewayFixture =
          new GatewayFixture.Builder(MANY)
              .upstream(URI.create("http://127.0.0.1:" + full.getLocalPort()))
              .settings(to -> to.forwarding().connectTimeout(SHORT))
              .build()) {
        assertThat(gatewayFixture.get())
            .startsWith("HTTP/1.1 504 ")
            .contains("could not connect to the upstream server in time");
      }
      for (Socket socket : waiting) {
        socket.close();
      }
    }
  }

  // Bodies that are too large.

  @ParameterizedTest
  @CsvSource({"HTTP_1_1, true", "HTTP_1_1, false", "HTTP_2, true", "HTTP_2, false"})
  void aBodyThatIsTooLargeIs413(HttpVersion in, boolean withLength) {
    AtomicInteger whole = new AtomicInteger();
    try (GatewayFixture gatewayFixture =
        before(
            "http",
            to -> to.maxBody(OptionalLong.of(100_000)),
            request ->
                request
                    .body()
                    .onSuccess(
                        body -> {
                          whole.incrementAndGet();
                          request.response().end();
                        }))) {
      assertThat(post(gatewayFixture, in, withLength, 100_000)).isEqualTo(200);
      assertThat(post(gatewayFixture, in, withLength, 100_001)).isEqualTo(413);
      assertThat(post(gatewayFixture, in, withLength, 1_000_000)).isEqualTo(413);
      assertThat(post(gatewayFixture, in, withLength, 10)).isEqualTo(200);
      assertThat(whole).hasValue(2);
    }
  }

  private static int post(
      GatewayFixture gatewayFixture, HttpVersion in, boolean withLength, int size) {
    HttpClientRequest request =
        GatewayFixture.await(gatewayFixture.client(in).request(HttpMethod.POST, "/"));
    request.exceptionHandler(known -> {});
    if (withLength) {
      request.putHeader("Content-Length", Integer.toString(size));
    } else {
      request.setChunked(true);
    }
    request.end(Buffer.buffer(new byte[size]));
    return GatewayFixture.await(request.response()).statusCode();
  }

  // All connections in use.

  @Test
  void refusesAtOnceIfNoConnectionIsFree() throws Exception {
    List<HttpServerRequest> waiting = new CopyOnWriteArrayList<>();
    try (GatewayFixture gatewayFixture =
        before(
            "http",
            to -> to.connections(3).responseTimeout(Duration.ofSeconds(30)),
            waiting::add)) {
      var client = gatewayFixture.client(HttpVersion.HTTP_2);
      List<io.vertx.core.Future<HttpClientResponse>> responses = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        responses.add(client.request(HttpMethod.GET, "/").compose(HttpClientRequest::send));
      }
      Await.holds("all connections are in use", () -> waiting.size() == 3);
      assertThat(gatewayFixture.get())
          .startsWith("HTTP/1.1 503 ")
          .containsIgnoringCase("\r\nretry-after: 1\r\n")
          .containsIgnoringCase("ratelimit: \"many\"")
          .contains("\"error\":\"overloaded\"");
      waiting.forEach(request -> request.response().end());
      for (var response : responses) {
        assertThat(GatewayFixture.await(response).statusCode()).isEqualTo(200);
      }
      Await.holds(
          "there is capacity again",
          () -> {
            waiting.clear();
            var next = client.request(HttpMethod.GET, "/").compose(HttpClientRequest::send);
            Await.holds("it came", () -> !waiting.isEmpty() || next.isComplete());
            waiting.forEach(request -> request.response().end());
            return GatewayFixture.await(next).statusCode() == 200;
          });
    }
  }

  /** Clients that hold all connections with half a body each are aborted. */
  @Test
  void slowBodiesDoNotBlockOtherRequests() throws Exception {
    try (GatewayFixture gatewayFixture =
        before("http", to -> to.connections(8), DeadlinesTest::hello)) {
      List<Socket> slow = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        Socket socket = gatewayFixture.connect();
        socket
            .getOutputStream()
            .write(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nx".getBytes(US_ASCII));
        slow.add(socket);
      }
      Await.holds(
          "an honest client is served", () -> gatewayFixture.get().startsWith("HTTP/1.1 200 "));
      for (int i = 0; i < 20; i++) {
        assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 200 ");
      }
      for (Socket socket : slow) {
        socket.close();
      }
    }
  }

  /** Later requests over the same connections are not affected by aborted ones. */
  @Test
  void returnsConnectionsOfAbortedRequests() throws Exception {
    try (GatewayFixture gatewayFixture =
        before("http", to -> to.connections(2), DeadlinesTest::hello)) {
      for (int i = 0; i < 20; i++) {
        try (Socket socket = gatewayFixture.connect()) {
          socket
              .getOutputStream()
              .write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx".getBytes(US_ASCII));
        }
      }
      Await.holds("there is capacity", () -> gatewayFixture.get().startsWith("HTTP/1.1 200 "));
      for (int i = 0; i < 10; i++) {
        assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 200 ");
      }
    }
  }
}
