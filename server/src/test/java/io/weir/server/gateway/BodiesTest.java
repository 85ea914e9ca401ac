package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.weir.server.gateway.BrokenUpstream.End;
import java.security.MessageDigest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every inbound with every outbound protocol: a body arrives as it was sent. */
class BodiesTest {
  private static final int PART = 50_000;

  static Stream<Arguments> bodies() {
    return ProtocolCombinations.with(0, 1, 65_536, 3_000_000)
        .flatMap(
            way ->
                Stream.of(true, false)
                    .map(
                        withLength ->
                            Arguments.of(way.get()[0], way.get()[1], withLength, way.get()[2])));
  }

  @ParameterizedTest
  @MethodSource("bodies")
  void bodyArrivesCompleteBothWays(HttpVersion in, String out, boolean withLength, int size) {
    Buffer body = ProtocolCombinations.random(size);
    try (GatewayFixture gatewayFixture =
        ProtocolCombinations.before(out, request -> mirror(request, withLength))) {
      HttpClientRequest request =
          GatewayFixture.await(gatewayFixture.client(in).request(HttpMethod.POST, "/mirror"));
      ProtocolCombinations.frame(request, withLength, size);
      Future<HttpClientResponse> response = request.response();
      for (int at = 0; at < size; at += PART) {
        request.write(body.slice(at, Math.min(size, at + PART)));
      }
      request.end();
      Buffer back = GatewayFixture.await(response.compose(HttpClientResponse::body));

      assertThat(response.result().statusCode()).isEqualTo(200);
      assertThat(response.result().getHeader("X-Length")).isEqualTo(length(in, withLength, size));
      assertThat(response.result().getHeader("X-Hash")).isEqualTo(ProtocolCombinations.hash(body));
      assertThat(ProtocolCombinations.hash(back)).isEqualTo(ProtocolCombinations.hash(body));
    }
  }

  /** Echoes the body, with its hash. */
  private static void mirror(HttpServerRequest request, boolean withLength) {
    HttpServerResponse response = request.response();
    request
        .body()
        .onSuccess(
            body -> {
              String length = request.getHeader("Content-Length");
              response.putHeader("X-Length", length == null ? "-" : length);
              response.putHeader("X-Hash", ProtocolCombinations.hash(body));
              if (withLength) {
                response.end(body);
              } else {
                response.setChunked(true);
                for (int at = 0; at < body.length(); at += PART) {
                  response.write(body.slice(at, Math.min(body.length(), at + PART)));
                }
                response.end();
              }
            });
  }

  /** HTTP/1.1 servers expect a length for empty bodies too; HTTP/2 only ends the stream. */
  private static String length(HttpVersion version, boolean isLengthKnown, int size) {
    return isLengthKnown || version == HttpVersion.HTTP_2 && size == 0 ? "" + size : "-";
  }

  /** Without TLS on both sides; TLS uses the same code, with fewer cases. */
  static Stream<Arguments> lengths() {
    return ProtocolCombinations.with(true, false)
        .filter(
            way -> {
              boolean isSecure = way.get()[1].toString().startsWith("https");
              return !isSecure || way.get()[0] == HttpVersion.HTTP_1_1 && way.get()[2].equals(true);
            });
  }

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("lengths")
  void hundredMegabytesArriveComplete(HttpVersion in, String out, boolean withLength)
      throws Exception {
    int parts = 2000;
    long size = (long) parts * PART;
    Buffer part = ProtocolCombinations.random(PART);
    String hash = ProtocolCombinations.hash(part, parts);
    try (GatewayFixture gatewayFixture =
        ProtocolCombinations.before(
            out,
            request -> {
              MessageDigest digest = ProtocolCombinations.digest();
              request.handler(each -> digest.update(each.getBytes()));
              request.endHandler(
                  end -> {
                    HttpServerResponse response = request.response();
                    if (withLength) {
                      response.putHeader("Content-Length", Long.toString(size));
                    } else {
                      response.setChunked(true);
                    }
                    response.putHeader("X-Hash", ProtocolCombinations.text(digest));
                    BodyPump.into(response, part, parts);
                  });
            })) {
      HttpClientRequest request =
          GatewayFixture.await(gatewayFixture.client(in).request(HttpMethod.POST, "/"));
      ProtocolCombinations.frame(request, withLength, size);
      CompletableFuture<String> back = new CompletableFuture<>();
      CompletableFuture<String> receivedHash = new CompletableFuture<>();
      request
          .response()
          .onSuccess(
              response -> {
                receivedHash.complete(response.getHeader("X-Hash"));
                MessageDigest digest = ProtocolCombinations.digest();
                response.handler(each -> digest.update(each.getBytes()));
                response.exceptionHandler(back::completeExceptionally);
                response.endHandler(end -> back.complete(ProtocolCombinations.text(digest)));
              });
      BodyPump.into(request, part, parts);
      assertThat(receivedHash.get(120, TimeUnit.SECONDS)).isEqualTo(hash);
      assertThat(back.get(120, TimeUnit.SECONDS)).isEqualTo(hash);
    }
  }

  /** As old servers mark the end, without a length or a last chunk. */
  @ParameterizedTest
  @MethodSource("olds")
  void bodyThatEndsWithItsConnectionIsComplete(HttpVersion in, String scheme, String version)
      throws Exception {
    for (int size : List.of(0, 200_000)) {
      String body = "x".repeat(size);
      String text = version + " 200 OK\r\n\r\n" + body;
      try (BrokenUpstream server = new BrokenUpstream(scheme, text, End.CLOSE);
          GatewayFixture gatewayFixture = ProtocolCombinations.before(server.url())) {
        assertThat(GatewayFixture.await(gatewayFixture.body(in)).toString()).isEqualTo(body);
      }
    }
  }

  static Stream<Arguments> olds() {
    return Stream.of(HttpVersion.HTTP_1_1, HttpVersion.HTTP_2)
        .flatMap(
            in ->
                Stream.of("http", "https")
                    .flatMap(
                        scheme ->
                            Stream.of("HTTP/1.0", "HTTP/1.1")
                                .map(version -> Arguments.of(in, scheme, version))));
  }

  /** A reset does not mark the end; nor, over TLS, does a close without close_notify. */
  @ParameterizedTest
  @MethodSource("olds")
  void resetConnectionBreaksTheBody(HttpVersion in, String scheme, String version)
      throws Exception {
    String half = version + " 200 OK\r\n\r\n" + "x".repeat(100_000);
    for (End end :
        scheme.equals("https") ? List.of(End.RESET, End.CUT_SHORT) : List.of(End.RESET)) {
      try (BrokenUpstream server = new BrokenUpstream(scheme, half, end);
          GatewayFixture gatewayFixture = ProtocolCombinations.before(server.url())) {
        Future<GatewayFixture.Whole> whole =
            gatewayFixture.client(in).request(HttpMethod.GET, "/").compose(GatewayFixture::sent);
        // What was not read by then may be lost, and the response with it.
        assertThatThrownBy(() -> requireOk(GatewayFixture.await(whole)))
            .as("%s", end)
            .isInstanceOf(IllegalStateException.class);
      }
    }
  }

  private static void requireOk(GatewayFixture.Whole whole) {
    if (whole.status() != 200) {
      throw new IllegalStateException("it is told: " + whole.status());
    }
  }
}
