package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.rig.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Interim responses: {@code 100 Continue} and {@code 103 Early Hints}. */
class InterimResponsesTest {
  private static final String MANY = "rules: [ { name: many, limit: 100000 per second } ]";
  private static final String EXPECTING =
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n";
  private static final String GO_ON = "HTTP/1.1 100 Continue\r\n\r\n";

  private static String read(Socket socket, int bytes) throws IOException {
    return new String(socket.getInputStream().readNBytes(bytes), US_ASCII);
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(US_ASCII));
  }

  private static void welcome(HttpServerRequest request) {
    request.response().writeContinue();
    request.body().onSuccess(body -> request.response().end("got " + body));
  }

  @ParameterizedTest
  @CsvSource({"http", "h2c", ProtocolCombinations.HTTPS_1, ProtocolCombinations.HTTPS_2})
  void forwardsContinueOfTheServer(String out) throws Exception {
    List<String> expected = new CopyOnWriteArrayList<>();
    try (GatewayFixture gatewayFixture =
            new GatewayFixture.Builder(MANY)
                .server(
                    out,
                    request -> {
                      expected.add(request.getHeader("Expect"));
                      welcome(request);
                    })
                .build();
        Socket client = gatewayFixture.connect()) {
      write(client, EXPECTING);
      assertThat(read(client, GO_ON.length())).isEqualTo(GO_ON);
      write(client, "body");
      assertThat(read(client, 15)).isEqualTo("HTTP/1.1 200 OK");
      assertThat(expected).containsExactly("100-continue");
    }
  }

  @ParameterizedTest
  @CsvSource({"http", "h2c", ProtocolCombinations.HTTPS_1, ProtocolCombinations.HTTPS_2})
  void forwardsInterimResponsesOverHttp2(String out) throws Exception {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY).server(out, InterimResponsesTest::welcome).build()) {
      HttpClientRequest request =
          GatewayFixture.await(
              gatewayFixture.client(HttpVersion.HTTP_2).request(HttpMethod.POST, "/"));
      CompletableFuture<Void> welcome = new CompletableFuture<>();
      request.putHeader("Expect", "100-continue").putHeader("Content-Length", "4");
      request.continueHandler(now -> welcome.complete(null));
      request.sendHead();
      welcome.get(30, TimeUnit.SECONDS);
      var whole = GatewayFixture.wholeOf(request.response());
      request.end("body");
      assertThat(GatewayFixture.await(whole).body()).isEqualTo("got body");
    }
  }

  /** And the connection is not reused, because it is unknown whether the body follows. */
  @ParameterizedTest
  @CsvSource({"http", "h2c", ProtocolCombinations.HTTPS_1, ProtocolCombinations.HTTPS_2})
  void forwardsRefusalInsteadOfContinue(String out) throws Exception {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .server(out, request -> request.response().setStatusCode(417).end("no"))
            .build()) {
      Await.holds("the server speaks first", () -> isRefusedByServer(gatewayFixture));
    }
  }

  /** False if the gateway itself has sent 100 (Continue), as it does after a second. */
  private static boolean isRefusedByServer(GatewayFixture gatewayFixture) throws IOException {
    try (Socket client = gatewayFixture.connect()) {
      write(client, EXPECTING);
      String status = read(client, 13);
      if (status.equals("HTTP/1.1 100 ")) {
        return false;
      }
      assertThat(status).isEqualTo("HTTP/1.1 417 ");
      assertThat(new String(client.getInputStream().readAllBytes(), US_ASCII))
          .containsIgnoringCase("\r\nconnection: close\r\n")
          .endsWith("\r\n\r\nno");
      return true;
    }
  }

  @Test
  void sendsBodyToServerWithoutExpectSupport() throws Exception {
    try (GatewayFixture gatewayFixture =
            new GatewayFixture.Builder(MANY)
                .server(
                    "http",
                    request ->
                        request.body().onSuccess(body -> request.response().end("got " + body)))
                .build();
        Socket client = gatewayFixture.connect()) {
      write(client, EXPECTING);
      assertThat(read(client, GO_ON.length())).as("after a second").isEqualTo(GO_ON);
      write(client, "body");
      assertThat(read(client, 15)).isEqualTo("HTTP/1.1 200 OK");
    }
  }

  @ParameterizedTest
  @MethodSource(ProtocolCombinations.ALL)
  void forwardsEarlyHints(HttpVersion in, String out) throws Exception {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .server(
                out,
                request ->
                    request
                        .response()
                        .writeEarlyHints(HttpHeaders.headers().add("link", "</a.css>; rel=preload"))
                        .onSuccess(said -> request.response().end("done")))
            .build()) {
      HttpClientRequest request =
          GatewayFixture.await(gatewayFixture.client(in).request(HttpMethod.GET, "/"));
      CompletableFuture<String> hint = new CompletableFuture<>();
      request.earlyHintsHandler(hints -> hint.complete(hints.get("link")));
      assertThat(GatewayFixture.await(GatewayFixture.sent(request)).body()).isEqualTo("done");
      assertThat(hint.get(30, TimeUnit.SECONDS)).isEqualTo("</a.css>; rel=preload");
    }
  }

  /** Hop-by-hop and framing headers are not hints. */
  @ParameterizedTest
  @CsvSource({"HTTP_1_1, http", "HTTP_2, http", "HTTP_1_1, https", "HTTP_2, https"})
  void dropsHopByHopHeadersOfEarlyHints(HttpVersion in, String out) throws Exception {
    try (GatewayFixture gatewayFixture =
        ProtocolCombinations.before(
            says(
                out,
                "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\nConnection: X-Own\r\nX-Own: 1\r\n"
                    + "Keep-Alive: timeout=5\r\nUpgrade: h2c\r\nProxy-Connection: close\r\n\r\n"
                    + OK))) {
      HttpClientRequest request =
          GatewayFixture.await(gatewayFixture.client(in).request(HttpMethod.GET, "/"));
      CompletableFuture<MultiMap> hint = new CompletableFuture<>();
      request.earlyHintsHandler(hint::complete);
      assertThat(GatewayFixture.await(GatewayFixture.sent(request)).body()).isEqualTo("ok");
      assertThat(hint.get(30, TimeUnit.SECONDS).names())
          .map(name -> name.toLowerCase(Locale.ROOT))
          .containsExactly("link");
    }
  }

  /** Unknown interim responses are ignored. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 102 Processing\r\n\r\n",
        "HTTP/1.1 102 Processing\r\nX-Done: 1\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n",
        "HTTP/1.1 199 What\r\nContent-Length: 7\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n",
      })
  void skipsUnknownInterimResponses(String before) throws Exception {
    for (String scheme : List.of("http", "https")) {
      try (GatewayFixture gatewayFixture = ProtocolCombinations.before(says(scheme, before + OK))) {
        for (int i = 0; i < 3; i++) {
          assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\nok");
        }
      }
    }
  }

  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  /** A server that sends the same response to every request and keeps its connections. */
  private static URI says(String scheme, String text) throws IOException {
    ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread thread =
        new Thread(
            () -> {
              while (true) {
                try (Socket bare = server.accept();
                    Socket socket = scheme.equals("https") ? TlsSockets.over(bare) : bare) {
                  int matched = 0;
                  for (int next = 0; next >= 0; next = socket.getInputStream().read()) {
                    matched = next == "\r\n\r\n".charAt(matched) ? matched + 1 : 0;
                    if (matched == 4) {
                      matched = 0;
                      write(socket, text);
                    }
                  }
                } catch (IOException gone) {
                  // the next
                }
              }
            });
    thread.setDaemon(true);
    thread.start();
    return URI.create(scheme + "://127.0.0.1:" + server.getLocalPort());
  }
}
