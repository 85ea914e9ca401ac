package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketConnectOptions;
import io.weir.rig.Await;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** WebSockets are forwarded, and limited like other requests. */
@Tag("slow")
class WebSocketsTest {
  private static final String UPGRADE =
      "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
          + "Sec-WebSocket-Key: x\r\n\r\n";
  private static final String AGREED =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Accept: x\r\n\r\n";

  private static GatewayFixture before(String rules, AtomicInteger open) {
    GatewayFixture.Builder builder = new GatewayFixture.Builder(rules);
    return builder.upstream(URI.create("http://127.0.0.1:" + server(builder, open))).build();
  }

  /** The port of an echo server. */
  private static int server(GatewayFixture.Builder builder, AtomicInteger open) {
    return GatewayFixture.await(
            builder
                .vertx
                .createHttpServer(new HttpServerOptions().setHost("127.0.0.1").setPort(0))
                .webSocketHandler(
                    socket -> {
                      open.incrementAndGet();
                      socket.closeHandler(gone -> open.decrementAndGet());
                      socket.textMessageHandler(socket::writeTextMessage);
                      socket.binaryMessageHandler(socket::writeBinaryMessage);
                    })
                .requestHandler(request -> request.response().setStatusCode(426).end("upgrade"))
                .listen())
        .actualPort();
  }

  private static WebSocket connect(WebSocketClient client, GatewayFixture gatewayFixture) {
    return GatewayFixture.await(
        client.connect(
            new WebSocketConnectOptions()
                .setHost("127.0.0.1")
                .setPort(gatewayFixture.port())
                .setURI("/chat?room=1")));
  }

  @Test
  void forwardsMessagesBothWaysUntilOneSideCloses() throws Exception {
    AtomicInteger open = new AtomicInteger();
    try (GatewayFixture gatewayFixture =
        before("rules: [ { name: r, limit: 1000 per second } ]", open)) {
      WebSocket socket = connect(gatewayFixture.webSockets(), gatewayFixture);
      CompletableFuture<String> text = new CompletableFuture<>();
      CompletableFuture<Buffer> bytes = new CompletableFuture<>();
      socket.textMessageHandler(text::complete);
      socket.binaryMessageHandler(bytes::complete);
      socket.writeTextMessage("hello");
      Buffer large = Buffer.buffer(new byte[50_000]);
      socket.writeBinaryMessage(large);
      assertThat(text.get(30, TimeUnit.SECONDS)).isEqualTo("hello");
      assertThat(bytes.get(30, TimeUnit.SECONDS)).isEqualTo(large);
      assertThat(socket.headers().get("RateLimit")).startsWith("\"r\";r=");
      socket.close();
      Await.holds("the server has heard of it", () -> open.get() == 0);
    }
  }

  @Test
  void manyClosedWebSocketsLeaveNothingBehind() throws Exception {
    AtomicInteger open = new AtomicInteger();
    GatewayFixture.Builder builder = new GatewayFixture.Builder(ProtocolCombinations.UNLIMITED);
    int port = server(builder, open);
    try (GatewayFixture gatewayFixture =
        builder.upstream(URI.create("http://127.0.0.1:" + port)).build()) {
      WebSocketClient client = gatewayFixture.webSockets();
      List<WebSocket> sockets = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        sockets.add(connect(client, gatewayFixture));
      }
      Await.holds("all are open", () -> open.get() == 100);
      assertThat(gatewayFixture.inside()).isEqualTo(100);
      assertThat(Sockets.to(port)).isEqualTo(100);
      sockets.forEach(WebSocket::close);
      Await.holds("the server has heard of it", () -> open.get() == 0);
      Await.holds("no client is connected", () -> gatewayFixture.inside() == 0);
      Await.holds("no connection is left", () -> Sockets.to(port) == 0);
      GatewayFixture.await(
          gatewayFixture.drain(Duration.ofMinutes(10))); // returns at once: no connection is open
    }
  }

  @Test
  void drainClosesOpenWebSocket() throws Exception {
    AtomicInteger open = new AtomicInteger();
    GatewayFixture.Builder builder = new GatewayFixture.Builder(ProtocolCombinations.UNLIMITED);
    int port = server(builder, open);
    try (GatewayFixture gatewayFixture =
        builder.upstream(URI.create("http://127.0.0.1:" + port)).build()) {
      WebSocket socket = connect(gatewayFixture.webSockets(), gatewayFixture);
      CompletableFuture<Void> closed = new CompletableFuture<>();
      CompletableFuture<String> text = new CompletableFuture<>();
      socket.closeHandler(closed::complete);
      socket.textMessageHandler(text::complete);
      Future<Void> drained = gatewayFixture.drain(Duration.ofSeconds(5));
      socket.writeTextMessage("still here");
      assertThat(text.get(30, TimeUnit.SECONDS)).isEqualTo("still here");
      GatewayFixture.await(drained);
      closed.get(30, TimeUnit.SECONDS);
      Await.holds("the server has heard of it", () -> open.get() == 0);
      Await.holds("no connection is left", () -> Sockets.to(port) == 0);
    }
  }

  /** The client of the JDK sends {@code Content-Length: 0}. */
  @Test
  void acceptsContentLengthZero() throws Exception {
    try (GatewayFixture gatewayFixture =
        before(ProtocolCombinations.UNLIMITED, new AtomicInteger())) {
      CompletableFuture<String> text = new CompletableFuture<>();
      java.net.http.HttpClient.newHttpClient()
          .newWebSocketBuilder()
          .buildAsync(
              URI.create("ws://127.0.0.1:" + gatewayFixture.port() + "/chat"),
              new java.net.http.WebSocket.Listener() {
                @Override
                public CompletionStage<?> onText(
                    java.net.http.WebSocket socket, CharSequence part, boolean isLast) {
                  text.complete(part.toString());
                  return null;
                }
              })
          .get(30, TimeUnit.SECONDS)
          .sendText("hello", true);
      assertThat(text.get(30, TimeUnit.SECONDS)).isEqualTo("hello");
    }
  }

  @Test
  void limitsWebSocketBeforeItIsOpened() {
    AtomicInteger open = new AtomicInteger();
    try (GatewayFixture gatewayFixture =
        before("rules: [ { name: one, limit: 1 per hour } ]", open)) {
      WebSocketClient client = gatewayFixture.webSockets();
      connect(client, gatewayFixture);
      assertThatThrownBy(() -> connect(client, gatewayFixture)).hasStackTraceContaining("429");
      assertThat(open).hasValue(1);
    }
  }

  /** Bytes that a client sends directly after its request are forwarded and not parsed. */
  @Test
  void forwardsBytesSentBeforeTheUpgrade() throws Exception {
    GatewayFixture.Builder builder =
        new GatewayFixture.Builder("rules: [ { name: r, limit: 1000 per second } ]");
    var server =
        GatewayFixture.await(
            builder
                .vertx
                .createNetServer()
                .connectHandler(
                    socket -> {
                      Buffer all = Buffer.buffer();
                      boolean[] isOpen = {false};
                      socket.handler(
                          part -> {
                            if (isOpen[0]) {
                              socket.write("echo:" + part);
                              return;
                            }
                            all.appendBuffer(part);
                            int end = all.toString().indexOf("\r\n\r\n");
                            if (end >= 0) {
                              isOpen[0] = true;
                              socket.write(AGREED + "first");
                            }
                          });
                    })
                .listen(0, "127.0.0.1"));
    try (GatewayFixture gatewayFixture =
            builder.upstream(URI.create("http://127.0.0.1:" + server.actualPort())).build();
        Socket client = gatewayFixture.connect()) {
      client.getOutputStream().write((UPGRADE + "early").getBytes(US_ASCII));
      StringBuilder read = new StringBuilder();
      while (!read.toString().endsWith("firstecho:early")) {
        read.append((char) client.getInputStream().read());
      }
      assertThat(read.toString())
          .startsWith("HTTP/1.1 101 Switching Protocols\r\n")
          .containsIgnoringCase("\r\nupgrade: websocket\r\n")
          .containsIgnoringCase("\r\nconnection: upgrade\r\n")
          .containsIgnoringCase("\r\nsec-websocket-accept: x\r\n")
          .doesNotContainIgnoringCase("transfer-encoding");
      client.getOutputStream().write("hi".getBytes(US_ASCII));
      assertThat(new String(client.getInputStream().readNBytes(7), US_ASCII)).isEqualTo("echo:hi");
    }
  }

  /** Bytes that it has not read when the client disconnects are dropped. */
  @Test
  void closesServerConnectionThatDoesNotRead() throws Exception {
    try (ServerSocket listening = new ServerSocket()) {
      listening.setReceiveBufferSize(16_384);
      listening.bind(new InetSocketAddress("127.0.0.1", 0));
      int port = listening.getLocalPort();
      try (GatewayFixture gatewayFixture =
              new GatewayFixture.Builder("rules: [ { name: r, limit: 9 per second } ]")
                  .upstream(URI.create("http://127.0.0.1:" + port))
                  .options(to -> to.setIdleTimeout(3))
                  .build();
          Socket client = gatewayFixture.connect()) {
        client.getOutputStream().write(UPGRADE.getBytes(US_ASCII));
        try (Socket server = listening.accept()) {
          server.getOutputStream().write(AGREED.getBytes(US_ASCII));
          assertThat(new String(client.getInputStream().readNBytes(12), US_ASCII))
              .isEqualTo("HTTP/1.1 101");
          assertThat(Sockets.to(port)).isEqualTo(1);
          assertThatThrownBy(
                  () -> {
                    while (true) { // until it stands still for some seconds
                      client.getOutputStream().write(new byte[100_000]);
                    }
                  })
              .isInstanceOf(IOException.class);
          Await.holds("no connection is left", () -> Sockets.to(port) == 0);
        }
      }
    }
  }

  @Test
  void forwardsResponseOfServerThatRefusesUpgrade() throws Exception {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture(
            "rules: [ { name: r, limit: 1000 per second } ]",
            request -> request.response().setStatusCode(403).end("no"))) {
      for (int i = 0; i < 3; i++) {
        assertThat(
                gatewayFixture.raw(
                    "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nConnection: close\r\n\r\n"))
            .startsWith("HTTP/1.1 403 ")
            .endsWith("\r\n\r\nno");
      }
    }
  }

  @Test
  void servesNextRequestAfterRefusedUpgrade() throws Exception {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture(
            "rules: [ { name: r, limit: 1000 per second } ]",
            request -> request.response().end(request.path()))) {
      String responses =
          gatewayFixture.raw(
              "GET /one HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
                  + "GET /two HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
      assertThat(responses.split("HTTP/1.1 200 ", -1)).hasSize(3);
      assertThat(responses).contains("\r\n\r\n/one").endsWith("\r\n\r\n/two");
    }
  }

  /** Only WebSockets are upgraded: other protocols would bypass all checks of the gateway. */
  @Test
  void dropsOtherUpgrades() throws Exception {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture(
            "rules: [ { name: r, limit: 1000 per second } ]",
            request ->
                request
                    .response()
                    .end(request.getHeader("Upgrade") + "/" + request.getHeader("Connection")))) {
      assertThat(
              gatewayFixture.raw(
                  "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: gopher\r\nConnection: Upgrade\r\nConnection: close\r\n\r\n"))
          .endsWith("\r\n\r\nnull/null");
    }
  }
}
