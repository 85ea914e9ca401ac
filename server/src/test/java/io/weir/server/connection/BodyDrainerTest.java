package io.weir.server.connection;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.server.http.HttpResponses;
import io.weir.server.http.Listener;
import io.weir.server.http.Router;
import io.weir.server.http.TokenAuth;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Draining the bodies of requests with an early response. */
@Timeout(120)
class BodyDrainerTest {
  /** Far more than all buffers between two sockets hold. */
  private static final long ENDLESS = 1_000_000_000;

  private final Vertx vertx = LimitingTransport.vertx(new VertxOptions());

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }

  private int listen(Handler<HttpServerRequest> handler) {
    return await(Listener.open(vertx, ServerLimits.PEERS.at("127.0.0.1", 0), 1, handler)).port();
  }

  private Socket connect(Handler<HttpServerRequest> handler) throws IOException {
    Socket socket = new Socket("127.0.0.1", listen(handler));
    socket.setSoTimeout(60_000);
    return socket;
  }

  private static Handler<HttpServerRequest> api() {
    Router router = new Router();
    router.on(
        HttpMethod.GET,
        "/get",
        request -> HttpResponses.send(request, HttpResponses.json(200, "{}")));
    return new TokenAuth(Optional.of("secret")).before(router);
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(UTF_8));
  }

  private static String head(String line, String length) {
    return line + " HTTP/1.1\r\nHost: a\r\nX-Weir-Token: secret\r\n" + length + "\r\n\r\n";
  }

  /** Reads one response with a length. */
  private static String response(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    StringBuilder head = new StringBuilder();
    while (!head.toString().endsWith("\r\n\r\n")) {
      int c = in.read();
      assertThat(c).as("after: %s", head).isNotNegative();
      head.append((char) c);
    }
    String length = head.toString().replaceAll("(?is).*content-length: (\\d+).*", "$1");
    return head + new String(in.readNBytes(Integer.parseInt(length)), ISO_8859_1);
  }

  @ParameterizedTest
  @CsvSource({
    "POST /nowhere, Content-Length: 5,          404",
    "POST /nowhere, Transfer-Encoding: chunked, 404",
    "POST /get,     Content-Length: 5,          405",
    "GET /get,      Content-Length: 5,          200",
  })
  void drainsSmallRemainderAndReusesConnection(String line, String length, String status)
      throws IOException {
    String body = length.startsWith("C") ? "hello" : "5\r\nhello\r\n0\r\n\r\n";
    try (Socket socket = connect(api())) {
      for (int i = 0; i < 3; i++) {
        write(socket, head(line, length));
        assertThat(response(socket)).startsWith("HTTP/1.1 " + status);
        write(socket, body);
      }
      write(socket, head("GET /get", "A: b"));
      assertThat(response(socket)).startsWith("HTTP/1.1 200");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "POST /nowhere, Content-Length: 1000000000, 404",
    "POST /nowhere, Transfer-Encoding: chunked, 404",
    "POST /get,     Content-Length: 1000000000, 405",
  })
  void closesConnectionThatKeepsSending(String line, String length, String status)
      throws IOException {
    try (Socket socket = connect(api())) {
      write(socket, head(line, length));
      assertThat(response(socket)).startsWith("HTTP/1.1 " + status);
      assertThat(sent(socket, length.startsWith("T"))).isLessThan(ENDLESS / 2);
    }
  }

  @Test
  void closesConnectionWithoutTokenThatKeepsSending() throws IOException {
    try (Socket socket = connect(api())) {
      write(socket, head("POST /get", "Content-Length: 1000000000").replace("secret", "wrong"));
      assertThat(response(socket)).startsWith("HTTP/1.1 401");
      assertThat(sent(socket, false)).isLessThan(ENDLESS / 2);
    }
  }

  /** Over HTTP/2 the stream is reset, not the connection. */
  @Test
  void resetsOnlyTheStreamThatKeepsSending() {
    HttpClientOptions options =
        new HttpClientOptions()
            .setProtocolVersion(HttpVersion.HTTP_2)
            .setHttp2ClearTextUpgrade(false)
            .setDefaultHost("127.0.0.1")
            .setDefaultPort(listen(api()));
    HttpClient client = vertx.createHttpClient(options);
    HttpClientRequest endless = await(client.request(HttpMethod.POST, "/nowhere"));
    endless.putHeader("X-Weir-Token", "secret").setChunked(true);
    CompletableFuture<Long> sent = new CompletableFuture<>();
    await(endless.sendHead());
    assertThat(await(endless.response()).statusCode()).isEqualTo(404);
    send(endless, Buffer.buffer(new byte[0x10000]), 0, sent);
    assertThat(sent.join()).isLessThan(ENDLESS / 2);

    HttpClientRequest next = await(client.request(HttpMethod.GET, "/get"));
    next.putHeader("X-Weir-Token", "secret");
    assertThat(await(next.send()).statusCode()).isEqualTo(200);
    assertThat(next.connection()).as("the same").isSameAs(endless.connection());
  }

  private static void send(
      HttpClientRequest request, Buffer part, long before, CompletableFuture<Long> sent) {
    if (before >= ENDLESS / 2) {
      sent.complete(before);
      return;
    }
    request
        .write(part)
        .onSuccess(more -> send(request, part, before + part.length(), sent))
        .onFailure(cut -> sent.complete(before));
  }

  /** How many bytes could be sent until the connection was closed. */
  private static long sent(Socket socket, boolean inChunks) {
    byte[] chunk = ("10000\r\n" + "x".repeat(0x10000) + "\r\n").getBytes(UTF_8);
    long sent = 0;
    try {
      OutputStream out = socket.getOutputStream();
      while (sent < ENDLESS / 2) {
        out.write(chunk, inChunks ? 0 : 7, inChunks ? chunk.length : 0x10000);
        sent += 0x10000;
      }
    } catch (IOException cut) {
      // What was to be seen.
    }
    return sent;
  }

  @ParameterizedTest
  @CsvSource({"Content-Length: 10", "Transfer-Encoding: chunked"})
  void closesConnectionThatStopsSending(String length) throws IOException {
    Handler<HttpServerRequest> impatient =
        request -> {
          request.response().end("no");
          BodyDrainer.discard(request, 1000, 20);
        };
    try (Socket socket = connect(impatient)) {
      write(socket, head("POST /", length));
      assertThat(response(socket)).startsWith("HTTP/1.1 200");
      assertThat(socket.getInputStream().read()).as("the end").isNegative();
    }
  }

  /** The timeout does not apply after the body is complete. */
  @Test
  void keepsConnectionAfterACompleteBody() throws Exception {
    Handler<HttpServerRequest> impatient =
        request -> {
          request.response().end("no");
          BodyDrainer.discard(request, 1000, 20);
        };
    try (Socket socket = connect(impatient)) {
      for (int i = 0; i < 3; i++) {
        write(socket, head("POST /", "Content-Length: 5") + "hello");
        assertThat(response(socket)).startsWith("HTTP/1.1 200");
        Thread.sleep(60); // longer than the timeout here
      }
    }
  }
}
