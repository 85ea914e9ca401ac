package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.weir.rig.Await;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each side notices when the other disconnects; half a body never passes for a complete one. */
@Tag("slow")
class AbortsTest {
  // Clients.

  @Test
  void doesNotForwardAbortedHead() throws Exception {
    try (RawUpstream server = new RawUpstream();
        GatewayFixture gatewayFixture =
            new GatewayFixture(ProtocolCombinations.UNLIMITED, server.url())) {
      try (Socket client = gatewayFixture.connect()) {
        client
            .getOutputStream()
            .write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n".getBytes(US_ASCII));
        Await.holds("it is connected", () -> gatewayFixture.inside() == 1);
      }
      Await.holds("it is gone", () -> gatewayFixture.inside() == 0);
      assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 200 ");
      assertThat(server.heads()).hasSize(1);
    }
  }

  @ParameterizedTest
  @MethodSource(ProtocolCombinations.ALL)
  void serverSeesAbortedRequestBody(HttpVersion in, String out) throws Exception {
    for (boolean withLength : List.of(true, false)) {
      CompletableFuture<Void> begun = new CompletableFuture<>();
      CompletableFuture<String> seen = new CompletableFuture<>();
      try (GatewayFixture gatewayFixture =
          ProtocolCombinations.before(
              out,
              request -> {
                request.handler(part -> begun.complete(null));
                request.endHandler(end -> seen.complete("whole"));
                request.exceptionHandler(broken -> seen.complete("broken"));
              })) {
        HttpClientRequest request =
            GatewayFixture.await(gatewayFixture.client(in).request(HttpMethod.POST, "/"));
        request.exceptionHandler(known -> {});
        ProtocolCombinations.frame(request, withLength, 1000);
        request.write("half");
        begun.get(30, TimeUnit.SECONDS);
        request.reset();
        assertThat(seen.get(30, TimeUnit.SECONDS)).isEqualTo("broken");
      }
    }
  }

  @ParameterizedTest
  @MethodSource(ProtocolCombinations.ALL)
  void serverSeesDisconnectBeforeTheResponse(HttpVersion in, String out) throws Exception {
    CompletableFuture<Void> received = new CompletableFuture<>();
    CompletableFuture<Void> seen = new CompletableFuture<>();
    try (GatewayFixture gatewayFixture =
        ProtocolCombinations.before(
            out,
            request -> {
              request.response().closeHandler(gone -> seen.complete(null));
              received.complete(null);
            })) {
      HttpClientRequest request =
          GatewayFixture.await(gatewayFixture.client(in).request(HttpMethod.GET, "/"));
      request.exceptionHandler(known -> {});
      request.end();
      received.get(30, TimeUnit.SECONDS);
      request.reset();
      seen.get(30, TimeUnit.SECONDS);
    }
  }

  @ParameterizedTest
  @MethodSource(ProtocolCombinations.ALL)
  void serverSeesDisconnectDuringTheResponse(HttpVersion in, String out) throws Exception {
    CompletableFuture<Void> seen = new CompletableFuture<>();
    try (GatewayFixture gatewayFixture =
        ProtocolCombinations.before(
            out,
            request -> {
              request.response().closeHandler(gone -> seen.complete(null));
              request.response().setChunked(true).write("half");
            })) {
      CompletableFuture<Void> half = new CompletableFuture<>();
      HttpClientRequest request =
          GatewayFixture.await(gatewayFixture.client(in).request(HttpMethod.GET, "/"));
      request.exceptionHandler(known -> {});
      request
          .send()
          .onSuccess(
              response -> {
                response.exceptionHandler(known -> {});
                response.handler(part -> half.complete(null));
              });
      half.get(30, TimeUnit.SECONDS);
      request.reset();
      seen.get(30, TimeUnit.SECONDS);
    }
  }

  // Servers.

  @ParameterizedTest
  @MethodSource(ProtocolCombinations.ALL)
  void serverThatClosesBeforeItsResponseIs502(HttpVersion in, String out) {
    try (GatewayFixture gatewayFixture =
        ProtocolCombinations.before(out, request -> request.connection().close())) {
      GatewayFixture.Whole whole =
          GatewayFixture.await(
              gatewayFixture
                  .client(in)
                  .request(HttpMethod.POST, "/")
                  .compose(request -> GatewayFixture.wholeOf(request.send("body"))));
      assertThat(whole.status()).isEqualTo(502);
      assertThat(whole.header("RateLimit")).as("limit headers are present").isNotNull();
      assertThat(whole.body())
          .contains("\"error\":\"bad_gateway\"", "closed the connection before it answered");
    }
  }

  @ParameterizedTest
  @MethodSource(ProtocolCombinations.ALL)
  void serverThatClosesMidRequestIs502(HttpVersion in, String out) {
    try (GatewayFixture gatewayFixture =
        ProtocolCombinations.before(
            out, request -> request.handler(part -> request.connection().close()))) {
      HttpClientRequest request =
          GatewayFixture.await(gatewayFixture.client(in).request(HttpMethod.POST, "/"));
      request.exceptionHandler(known -> {});
      ProtocolCombinations.frame(request, true, 1000);
      request.write("half");
      assertThat(GatewayFixture.await(request.response()).statusCode()).isEqualTo(502);
    }
  }

  @ParameterizedTest
  @MethodSource(ProtocolCombinations.ALL)
  void clientSeesAbortedResponse(HttpVersion in, String out) {
    for (boolean withLength : List.of(true, false)) {
      try (GatewayFixture gatewayFixture =
          ProtocolCombinations.before(out, GatewayFixture.breaksOff(withLength))) {
        Future<Buffer> body = gatewayFixture.body(in);
        assertThatThrownBy(() -> GatewayFixture.await(body))
            .isInstanceOf(IllegalStateException.class);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("resets")
  void clientSeesStreamResetByTheServer(HttpVersion in, String out, boolean hasBegun) {
    try (GatewayFixture gatewayFixture =
        ProtocolCombinations.before(
            out,
            request -> {
              if (hasBegun) {
                request
                    .response()
                    .setChunked(true)
                    .write("half")
                    .onSuccess(written -> request.response().reset());
              } else {
                request.response().reset();
              }
            })) {
      assertFailureIsSeen(gatewayFixture, in);
    }
  }

  static Stream<Arguments> resets() {
    return ProtocolCombinations.with(true, false);
  }

  /** However much of its response it has sent. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "HTTP/1.1 200 O",
        "HTTP/1.1 200 OK;Content-Len",
        "HTTP/1.1 200 OK;Content-Length: 9;",
        "HTTP/1.1 200 OK;Content-Length: 9;;",
        "HTTP/1.1 200 OK;Content-Length: 9;;half",
        "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;",
        "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;4",
        "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;4;ha",
        "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;4;half",
        "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;4;half;",
        "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;4;half;0",
        "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;4;half;0;",
        "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;4;half;0;X-Sum: 4",
        "HTTP/1.1 200 OK;Transfer-Encoding: chunked;;4;half;0;X-Sum: 4;",
      })
  void clientSeesServerDie(String script) throws Exception {
    for (String scheme : List.of("http", "https")) {
      for (BrokenUpstream.End end : BrokenUpstream.End.values()) {
        try (BrokenUpstream server = new BrokenUpstream(scheme, script.replace(";", "\r\n"), end);
            GatewayFixture gatewayFixture = ProtocolCombinations.before(server.url())) {
          assertFailureIsSeen(gatewayFixture, HttpVersion.HTTP_1_1);
          assertFailureIsSeen(gatewayFixture, HttpVersion.HTTP_2);
        }
      }
    }
  }

  /** By the status; or, if that was sent before, by a response that does not end. */
  private static void assertFailureIsSeen(GatewayFixture gatewayFixture, HttpVersion in) {
    Future<GatewayFixture.Whole> whole =
        gatewayFixture
            .client(in)
            .request(HttpMethod.POST, "/")
            .compose(request -> GatewayFixture.wholeOf(request.send("body")));
    try {
      assertThat(GatewayFixture.await(whole).status()).isEqualTo(502);
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageNotContaining("Timeout");
    }
  }

  /** The rest of the body is not read then; the next request must not be taken for it. */
  @ParameterizedTest
  @MethodSource(ProtocolCombinations.ALL)
  void earlyResponseDoesNotPoisonTheConnection(HttpVersion in, String out) throws Exception {
    AtomicInteger requests = new AtomicInteger();
    try (GatewayFixture gatewayFixture =
        ProtocolCombinations.before(
            out,
            request -> {
              requests.incrementAndGet();
              request.response().setStatusCode(403).end("no");
            })) {
      for (int i = 0; i < 3; i++) {
        HttpClientRequest request =
            GatewayFixture.await(gatewayFixture.client(in).request(HttpMethod.POST, "/"));
        request.exceptionHandler(known -> {});
        ProtocolCombinations.frame(request, true, 1_000_000);
        var pending = GatewayFixture.wholeOf(request.response());
        request.write("GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
        GatewayFixture.Whole whole = GatewayFixture.await(pending);
        assertThat(whole.status()).isEqualTo(403);
        assertThat(whole.body()).isEqualTo("no");
        Future<HttpClientResponse> other =
            gatewayFixture.client(in).request(HttpMethod.GET, "/").compose(HttpClientRequest::send);
        assertThat(GatewayFixture.await(other).statusCode()).isEqualTo(403);
      }
      assertThat(requests).hasValue(6);
    }
  }
}
