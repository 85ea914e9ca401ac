package io.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.weir.rig.Await;
import io.weir.server.connection.LimitingTransport;
import io.weir.server.connection.ServerLimits;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The limits of a port, and how it drains. */
class ListenerTest {
  private final Vertx vertx = LimitingTransport.vertx(new VertxOptions());

  @AfterEach
  void close() {
    await(vertx.close());
  }

  @Test
  void eachListenerBindsItsOwnFreePort() throws Exception {
    Listener one = listen(request -> request.response().end("one"));
    Listener other = listen(request -> request.response().end("other"));

    assertThat(one.port()).isNotEqualTo(other.port()).isPositive();
    for (int i = 0; i < 8; i++) {
      assertThat(exchange(one, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")).endsWith("one");
      assertThat(exchange(other, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")).endsWith("other");
    }
  }

  @Test
  void respondsIfAHandlerThrows() throws Exception {
    Listener listener =
        listen(
            request -> {
              throw new IllegalStateException("on purpose");
            });

    assertThat(exchange(listener, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
        .startsWith("HTTP/1.1 500 ")
        .contains("\"error\":\"internal_error\"")
        .doesNotContain("on purpose");
  }

  @ParameterizedTest
  @CsvSource({
    "8000, 0, 200",
    "9000, 0, 414",
    "100, 15000, 200",
    "100, 17000, 431",
    "100, 100000, 431"
  })
  void limitsFirstLineAndHead(int path, int header, int status) throws Exception {
    Listener listener = listen(request -> request.response().end());
    String request =
        "GET /"
            + "p".repeat(path)
            + " HTTP/1.1\r\nHost: a\r\nX: "
            + "h".repeat(header)
            + "\r\n\r\n";

    assertThat(exchange(listener, request)).matches("(?s)HTTP/1.[01] " + status + " .*");
  }

  @Test
  void announcesHttp2Settings() throws Exception {
    Listener listener = listen(request -> request.response().end());
    try (RawHttp2 client = new RawHttp2(listener.port())) {
      assertThat(client.settings()).containsEntry(3, 100L).containsEntry(6, 16_384L);
    }
  }

  @Test
  void closesConnectionThatResetsManyStreams() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    Listener listener =
        listen(
            request -> {
              requests.incrementAndGet();
              request.response().end("hi");
            });
    try (RawHttp2 client = new RawHttp2(listener.port())) {
      for (int i = 0; i < 1000; i++) {
        client.open();
        client.reset();
      }
      assertThat(client.errorOfGoodbye()).as("ENHANCE_YOUR_CALM").isEqualTo(11);
    }
    assertThat(requests.get()).isLessThan(1000);
    assertThat(exchange(listener, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")).endsWith("hi");
  }

  @Test
  void drainFinishesRequestsInProgress() throws Exception {
    CompletableFuture<HttpServerRequest> underWay = new CompletableFuture<>();
    Listener listener =
        listen(
            request -> {
              if (request.path().equals("/slow")) {
                underWay.complete(request);
              } else {
                request.response().end("quick");
              }
            });
    int port = listener.port();
    try (Socket slow = socket(port);
        Socket idle = socket(port)) {
      write(idle, "GET /quick HTTP/1.1\r\nHost: a\r\n\r\n");
      assertThat(readUntil(idle, "quick")).startsWith("HTTP/1.1 200 ");
      write(slow, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
      HttpServerRequest request = underWay.get();

      Future<Void> drained = listener.drain(Duration.ofSeconds(30));

      assertThat(idle.getInputStream().read()).as("nothing under way there").isEqualTo(-1);
      Await.holds(
          "the port refuses connections",
          () -> {
            try (Socket late = new Socket("127.0.0.1", port)) {
              return false;
            } catch (ConnectException refused) {
              return true;
            }
          });
      assertThat(drained.isComplete()).isFalse();
      respond(request);
      assertThat(readUntil(slow, "at last")).startsWith("HTTP/1.1 200 ");
      await(drained);
    }
  }

  @Test
  void drainAnnouncesCloseOnReusedConnections() {
    Await.holds("it comes in the moment that is left", this::hasConnectionClose);
  }

  /** False if the request was sent on a connection that was already closed. */
  private boolean hasConnectionClose() throws Exception {
    Listener listener = listen(request -> request.response().end("quick"));
    try (Socket busy = socket(listener.port())) {
      write(busy, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      assertThat(readUntil(busy, "quick")).doesNotContainIgnoringCase("Connection:");
      Future<Void> drained = listener.drain(Duration.ofSeconds(30));
      write(busy, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      String text = new String(busy.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      await(drained);
      if (text.isEmpty()) {
        return false;
      }
      assertThat(text).containsIgnoringCase("\r\nConnection: close\r\n").endsWith("quick");
      return true;
    }
  }

  @Test
  void drainingLetsStreamsOfHttp2ComeToTheirEnd() throws Exception {
    CompletableFuture<HttpServerRequest> underWay = new CompletableFuture<>();
    Listener listener = listen(underWay::complete);
    HttpClient client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false));
    Future<String> pending =
        client
            .request(HttpMethod.GET, listener.port(), "127.0.0.1", "/")
            .compose(request -> request.send())
            .compose(response -> response.body())
            .map(body -> body.toString());
    HttpServerRequest request = underWay.get(30, TimeUnit.SECONDS);

    Future<Void> drained = listener.drain(Duration.ofSeconds(60));
    Await.holds(
        "the port refuses connections",
        () -> {
          try (Socket late = new Socket("127.0.0.1", listener.port())) {
            return false;
          } catch (ConnectException refused) {
            return true;
          }
        });
    assertThat(drained.isComplete()).isFalse();
    respond(request);
    assertThat(await(pending)).isEqualTo("at last");
    await(drained);
  }

  @Test
  void drainDoesNotWaitForUnusedConnection() throws Exception {
    Listener listener = listen(request -> request.response().end("quick"));
    try (Socket silent = socket(listener.port())) {
      assertThat(silent.isConnected()).isTrue();
      await(listener.drain(Duration.ofHours(1)));
    }
  }

  @Test
  void drainTimesOut() throws Exception {
    CompletableFuture<HttpServerRequest> arrived = new CompletableFuture<>();
    Listener listener = listen(arrived::complete);
    try (Socket forgotten = socket(listener.port())) {
      write(forgotten, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      arrived.get();
      await(listener.drain(Duration.ofMillis(200)));
      assertThat(forgotten.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Test
  void failsIfThePortIsInUse() {
    Listener first = listen(request -> request.response().end());
    Vertx another = Vertx.vertx();
    try {
      assertThatThrownBy(
              () ->
                  await(
                      Listener.open(
                          another,
                          ServerLimits.PEERS.at("127.0.0.1", first.port()),
                          1,
                          request -> request.response().end())))
          .hasMessageContaining("Address already in use");
    } finally {
      await(another.close());
    }
  }

  private Listener listen(Handler<HttpServerRequest> handler) {
    return await(Listener.open(vertx, ServerLimits.PUBLIC.at("127.0.0.1", 0), 2, handler));
  }

  /** Responds on the request's own context, the only one that may write to its connection. */
  private static void respond(HttpServerRequest request) {
    ((HttpServerRequestInternal) request)
        .context()
        .runOnContext(now -> request.response().end("at last"));
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }

  private static Socket socket(int port) throws IOException {
    Socket socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(30_000);
    return socket;
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static String readUntil(Socket socket, String end) throws IOException {
    StringBuilder text = new StringBuilder();
    while (!text.toString().endsWith(end)) {
      int read = socket.getInputStream().read();
      assertThat(read).as("end of connection after: %s", text).isNotEqualTo(-1);
      text.append((char) read);
    }
    return text.toString();
  }

  /** The whole response. */
  private static String exchange(Listener listener, String request) throws IOException {
    try (Socket socket = socket(listener.port())) {
      write(socket, request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
  }
}
