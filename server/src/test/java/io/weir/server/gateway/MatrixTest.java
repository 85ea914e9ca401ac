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
import io.vertx.core.streams.WriteStream;
import io.weir.rig.Until;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every way in with every way out: a body arrives as it was sent, or the failure is seen. Never is
 * half a body taken for a whole one.
 */
class MatrixTest {
  private static final String UNLIMITED = "rules: [ { name: all, limit: 1000000 per second } ]";
  private static final int PART = 50_000;

  private static final List<HttpVersion> IN = List.of(HttpVersion.HTTP_1_1, HttpVersion.HTTP_2);
  private static final List<String> OUT = List.of("http", "h2c");

  static Stream<Arguments> ways() {
    return IN.stream().flatMap(in -> OUT.stream().map(out -> Arguments.of(in, out)));
  }

  static Stream<Arguments> bodies() {
    return ways()
        .flatMap(
            way ->
                Stream.of(true, false)
                    .flatMap(
                        withLength ->
                            Stream.of(0, 1, 65_536, 3_000_000)
                                .map(
                                    size ->
                                        Arguments.of(
                                            way.get()[0], way.get()[1], withLength, size))));
  }

  private static Stage before(String out, io.vertx.core.Handler<HttpServerRequest> server) {
    return new Stage.Builder(UNLIMITED).server(out, server).build();
  }

  // Whole bodies.

  @ParameterizedTest
  @MethodSource("bodies")
  void arrivesWholeBothWays(HttpVersion in, String out, boolean withLength, int size) {
    Buffer body = random(size);
    try (Stage stage = before(out, request -> mirror(request, withLength))) {
      HttpClientRequest request = Stage.await(stage.client(in).request(HttpMethod.POST, "/mirror"));
      frame(request, withLength, size);
      Future<HttpClientResponse> response = request.response();
      for (int at = 0; at < size; at += PART) {
        request.write(body.slice(at, Math.min(size, at + PART)));
      }
      request.end();
      Buffer back = Stage.await(response.compose(HttpClientResponse::body));

      assertThat(response.result().statusCode()).isEqualTo(200);
      assertThat(response.result().getHeader("X-Hash")).isEqualTo(hash(body));
      assertThat(hash(back)).isEqualTo(hash(body));
    }
  }

  private static void frame(HttpClientRequest request, boolean withLength, int size) {
    if (withLength) {
      request.putHeader("Content-Length", Integer.toString(size));
    } else {
      request.setChunked(true);
    }
  }

  /** What came goes back, with its hash. */
  private static void mirror(HttpServerRequest request, boolean withLength) {
    HttpServerResponse response = request.response();
    request
        .body()
        .onSuccess(
            body -> {
              response.putHeader("X-Hash", hash(body));
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

  @Tag("slow")
  @ParameterizedTest
  @MethodSource("ways")
  void hundredMegabytesArriveWhole(HttpVersion in, String out) throws Exception {
    int parts = 2000;
    Buffer part = random(PART);
    try (Stage stage =
        before(
            out,
            request -> {
              MessageDigest digest = digest();
              request.handler(each -> digest.update(each.getBytes()));
              request.endHandler(
                  end -> {
                    HttpServerResponse response = request.response().setChunked(true);
                    response.putHeader("X-Hash", HexFormat.of().formatHex(digest.digest()));
                    pour(response, part, parts);
                  });
            })) {
      HttpClientRequest request = Stage.await(stage.client(in).request(HttpMethod.POST, "/"));
      request.setChunked(true);
      pour(request, part, parts);
      MessageDigest expected = digest();
      for (int i = 0; i < parts; i++) {
        expected.update(part.getBytes());
      }
      String hash = HexFormat.of().formatHex(expected.digest());
      CompletableFuture<String> back = new CompletableFuture<>();
      CompletableFuture<String> told = new CompletableFuture<>();
      request
          .response()
          .onSuccess(
              response -> {
                told.complete(response.getHeader("X-Hash"));
                MessageDigest digest = digest();
                response.handler(each -> digest.update(each.getBytes()));
                response.exceptionHandler(back::completeExceptionally);
                response.endHandler(
                    end -> back.complete(HexFormat.of().formatHex(digest.digest())));
              });
      assertThat(told.get(120, TimeUnit.SECONDS)).isEqualTo(hash);
      assertThat(back.get(120, TimeUnit.SECONDS)).isEqualTo(hash);
    }
  }

  private static void pour(WriteStream<Buffer> to, Buffer part, int parts) {
    AtomicInteger left = new AtomicInteger(parts);
    Runnable more =
        () -> {
          while (left.get() > 0 && !to.writeQueueFull()) {
            left.decrementAndGet();
            to.write(part);
            if (left.get() == 0) {
              to.end();
              return;
            }
          }
        };
    to.drainHandler(room -> more.run());
    more.run();
  }

  // Slow ones.

  @ParameterizedTest
  @MethodSource("ways")
  void aSlowWriterIsWaitedFor(HttpVersion in, String out) {
    try (Stage stage = before(out, request -> mirror(request, false))) {
      HttpClientRequest request = Stage.await(stage.client(in).request(HttpMethod.POST, "/"));
      request.setChunked(true);
      Future<HttpClientResponse> response = request.response();
      drip(stage, request, 10);
      assertThat(Stage.await(response.compose(HttpClientResponse::body)).toString())
          .isEqualTo("drop".repeat(10));
    }
  }

  private static void drip(Stage stage, WriteStream<Buffer> to, int left) {
    to.write(Buffer.buffer("drop"));
    if (left == 1) {
      to.end();
    } else {
      stage.vertx.setTimer(60, next -> drip(stage, to, left - 1));
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aSlowServerIsWaitedForAndItsHeadComesFirst(HttpVersion in, String out) {
    CompletableFuture<HttpServerResponse> answering = new CompletableFuture<>();
    try (Stage stage =
        before(
            out,
            request -> {
              request.response().setChunked(true).writeHead();
              answering.complete(request.response());
            })) {
      HttpClientResponse response =
          Stage.await(
              stage
                  .client(in)
                  .request(HttpMethod.GET, "/")
                  .compose(HttpClientRequest::send)); // before a byte of the body is there
      Future<Buffer> body = response.body();
      drip(stage, answering.join(), 10);
      assertThat(Stage.await(body).toString()).isEqualTo("drop".repeat(10));
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aSlowReaderSlowsTheServerDown(HttpVersion in, String out) throws Exception {
    AtomicInteger written = new AtomicInteger();
    int parts = 1000;
    Buffer part = random(PART);
    try (Stage stage =
        before(
            out,
            request -> {
              HttpServerResponse response = request.response().setChunked(true);
              Runnable more =
                  () -> {
                    while (written.get() < parts && !response.writeQueueFull()) {
                      response.write(part);
                      if (written.incrementAndGet() == parts) {
                        response.end();
                        return;
                      }
                    }
                  };
              response.drainHandler(room -> more.run());
              more.run();
            })) {
      CompletableFuture<Long> read = new CompletableFuture<>();
      CompletableFuture<HttpClientResponse> begun = new CompletableFuture<>();
      stage
          .client(in)
          .request(HttpMethod.GET, "/")
          .compose(HttpClientRequest::send)
          .onSuccess(
              response -> {
                response.pause();
                long[] bytes = {0};
                response.handler(each -> bytes[0] += each.length());
                response.endHandler(end -> read.complete(bytes[0]));
                response.exceptionHandler(read::completeExceptionally);
                begun.complete(response);
              });
      HttpClientResponse response = begun.get(30, TimeUnit.SECONDS);
      int[] last = {-1};
      Until.holds(
          "the server stands still",
          () -> {
            int now = written.get();
            boolean still = now > 0 && now == last[0];
            last[0] = now;
            Thread.sleep(200);
            return still;
          });
      assertThat(written.get()).isLessThan(parts);
      response.resume();
      assertThat(read.get(60, TimeUnit.SECONDS)).isEqualTo((long) parts * PART);
    }
  }

  // Trailers.

  @ParameterizedTest
  @MethodSource("ways")
  void trailersComeBack(HttpVersion in, String out) {
    try (Stage stage =
        before(
            out,
            request -> {
              HttpServerResponse response = request.response().setChunked(true);
              response.putHeader("Trailer", "X-Sum");
              response.write("body");
              response.putTrailer("X-Sum", "42").putTrailer("Content-Length", "7").end();
            })) {
      Stage.Whole whole =
          Stage.await(stage.client(in).request(HttpMethod.GET, "/").compose(Stage::sent));
      assertThat(whole.body()).isEqualTo("body");
      assertThat(whole.response().getTrailer("X-Sum")).isEqualTo("42");
      assertThat(whole.response().getTrailer("Content-Length")).isNull();
    }
  }

  // Whoever goes away, and when.

  @ParameterizedTest
  @MethodSource("ways")
  void aClientThatGoesInTheMidstOfItsBody(HttpVersion in, String out) throws Exception {
    for (boolean withLength : List.of(true, false)) {
      CompletableFuture<Void> begun = new CompletableFuture<>();
      CompletableFuture<String> seen = new CompletableFuture<>();
      try (Stage stage =
          before(
              out,
              request -> {
                request.handler(part -> begun.complete(null));
                request.endHandler(end -> seen.complete("whole"));
                request.exceptionHandler(broken -> seen.complete("broken"));
              })) {
        HttpClientRequest request = Stage.await(stage.client(in).request(HttpMethod.POST, "/"));
        request.exceptionHandler(known -> {});
        frame(request, withLength, 1000);
        request.write("half");
        begun.get(30, TimeUnit.SECONDS);
        request.reset();
        assertThat(seen.get(30, TimeUnit.SECONDS)).isEqualTo("broken");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aClientThatGoesBeforeTheResponse(HttpVersion in, String out) throws Exception {
    CompletableFuture<Void> asked = new CompletableFuture<>();
    CompletableFuture<Void> seen = new CompletableFuture<>();
    try (Stage stage =
        before(
            out,
            request -> {
              request.response().closeHandler(gone -> seen.complete(null));
              asked.complete(null);
            })) {
      HttpClientRequest request = Stage.await(stage.client(in).request(HttpMethod.GET, "/"));
      request.exceptionHandler(known -> {});
      request.end();
      asked.get(30, TimeUnit.SECONDS);
      request.reset();
      seen.get(30, TimeUnit.SECONDS);
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aClientThatGoesInTheMidstOfTheResponse(HttpVersion in, String out) throws Exception {
    CompletableFuture<Void> seen = new CompletableFuture<>();
    try (Stage stage =
        before(
            out,
            request -> {
              request.response().closeHandler(gone -> seen.complete(null));
              request.response().setChunked(true).write("half");
            })) {
      CompletableFuture<Void> half = new CompletableFuture<>();
      HttpClientRequest request = Stage.await(stage.client(in).request(HttpMethod.GET, "/"));
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

  @ParameterizedTest
  @MethodSource("ways")
  void aServerThatGoesBeforeItsResponseIs502(HttpVersion in, String out) {
    try (Stage stage = before(out, request -> request.connection().close())) {
      Stage.Whole whole =
          Stage.await(
              stage
                  .client(in)
                  .request(HttpMethod.POST, "/")
                  .compose(request -> Stage.wholeOf(request.send("body"))));
      assertThat(whole.status()).isEqualTo(502);
      assertThat(whole.header("RateLimit")).as("limits are told all the same").isNotNull();
      assertThat(whole.body()).contains("\"error\":\"bad_gateway\"", "hung up before it answered");
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aServerThatGoesInTheMidstOfARequestIs502(HttpVersion in, String out) {
    try (Stage stage =
        before(out, request -> request.handler(part -> request.connection().close()))) {
      HttpClientRequest request = Stage.await(stage.client(in).request(HttpMethod.POST, "/"));
      request.exceptionHandler(known -> {});
      frame(request, true, 1000);
      request.write("half");
      assertThat(Stage.await(request.response()).statusCode()).isEqualTo(502);
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void aServerThatGoesInTheMidstOfItsResponseIsSeen(HttpVersion in, String out) {
    for (boolean withLength : List.of(true, false)) {
      try (Stage stage = before(out, Stage.breaksOff(withLength))) {
        Future<Buffer> body = stage.body(in);
        assertThatThrownBy(() -> Stage.await(body)).isInstanceOf(IllegalStateException.class);
      }
    }
  }

  /** The rest of the body has no reader then; the next request must not become its rest. */
  @ParameterizedTest
  @CsvSource({"HTTP_1_1, http", "HTTP_1_1, h2c", "HTTP_2, http", "HTTP_2, h2c"})
  void aResponseBeforeTheEndOfTheRequestPoisonsNothing(HttpVersion in, String out)
      throws Exception {
    AtomicInteger requests = new AtomicInteger();
    try (Stage stage =
        before(
            out,
            request -> {
              requests.incrementAndGet();
              request.response().setStatusCode(403).end("no");
            })) {
      for (int i = 0; i < 3; i++) {
        HttpClientRequest request = Stage.await(stage.client(in).request(HttpMethod.POST, "/"));
        request.exceptionHandler(known -> {});
        frame(request, true, 1_000_000);
        var answer = Stage.wholeOf(request.response());
        request.write("GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
        Stage.Whole whole = Stage.await(answer);
        assertThat(whole.status()).isEqualTo(403);
        assertThat(whole.body()).isEqualTo("no");
        Future<HttpClientResponse> other =
            stage.client(in).request(HttpMethod.GET, "/").compose(HttpClientRequest::send);
        assertThat(Stage.await(other).statusCode()).isEqualTo(403);
      }
      assertThat(requests).hasValue(6);
    }
  }

  private static Buffer random(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return Buffer.buffer(bytes);
  }

  private static String hash(Buffer body) {
    return HexFormat.of().formatHex(digest().digest(body.getBytes()));
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
