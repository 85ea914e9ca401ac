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
import io.weir.rig.Until;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bodies arrive as they were sent, or the failure is seen. */
class BodiesTest {
  private static final String UNLIMITED = "rules: [ { name: all, limit: 1000000 per second } ]";

  @ParameterizedTest
  @CsvSource({
    "HTTP_1_1, true, 0",
    "HTTP_1_1, false, 0",
    "HTTP_1_1, true, 1",
    "HTTP_1_1, false, 1",
    "HTTP_1_1, true, 70000",
    "HTTP_1_1, false, 70000",
    "HTTP_1_1, true, 10000000",
    "HTTP_1_1, false, 10000000",
    "HTTP_2, true, 0",
    "HTTP_2, false, 0",
    "HTTP_2, true, 1",
    "HTTP_2, false, 1",
    "HTTP_2, true, 70000",
    "HTTP_2, false, 70000",
    "HTTP_2, true, 10000000",
    "HTTP_2, false, 10000000"
  })
  void arriveWhole(HttpVersion version, boolean withLength, int size) {
    Buffer body = random(size);
    try (Stage stage = new Stage(UNLIMITED, request -> mirror(request, withLength))) {
      HttpClientRequest request =
          Stage.await(stage.client(version).request(HttpMethod.POST, "/mirror"));
      if (withLength) {
        request.putHeader("Content-Length", Integer.toString(size));
      } else {
        request.setChunked(true);
      }
      Future<HttpClientResponse> response = request.response();
      for (int at = 0; at < size; at += 50_000) {
        request.write(body.slice(at, Math.min(size, at + 50_000)));
      }
      request.end();
      Buffer back = Stage.await(response.compose(HttpClientResponse::body));

      assertThat(response.result().statusCode()).isEqualTo(200);
      assertThat(response.result().getHeader("X-Length"))
          .isEqualTo(length(version, withLength, size));
      assertThat(back.length()).isEqualTo(size);
      assertThat(back).isEqualTo(body);
    }
  }

  /** Servers of HTTP/1.1 want a length for nothing too, which HTTP/2 tells by the end alone. */
  private static String length(HttpVersion version, boolean isTold, int size) {
    return isTold || version == HttpVersion.HTTP_2 && size == 0 ? "" + size : "-";
  }

  /** The body comes back as it came, with its length told or not. */
  private static void mirror(HttpServerRequest request, boolean withLength) {
    HttpServerResponse response = request.response();
    String length = request.getHeader("Content-Length");
    response.putHeader("X-Length", length == null ? "-" : length);
    request
        .body()
        .onSuccess(
            body -> {
              if (!withLength) {
                response.setChunked(true).write(body);
                response.end();
              } else {
                response.end(body);
              }
            });
  }

  @ParameterizedTest
  @CsvSource({"HTTP_1_1, true", "HTTP_1_1, false", "HTTP_2, true", "HTTP_2, false"})
  void aResponseThatBreaksIsSeenToBreak(HttpVersion version, boolean withLength) {
    try (Stage stage = new Stage(UNLIMITED, Stage.breaksOff(withLength))) {
      Future<Buffer> body = stage.body(version);

      assertThatThrownBy(() -> Stage.await(body)).isInstanceOf(IllegalStateException.class);
    }
  }

  @ParameterizedTest
  @CsvSource({"HTTP_1_1, true", "HTTP_1_1, false", "HTTP_2, true", "HTTP_2, false"})
  void aRequestThatBreaksIsSeenToBreak(HttpVersion version, boolean withLength) throws Exception {
    CompletableFuture<String> seen = new CompletableFuture<>();
    CompletableFuture<Void> begun = new CompletableFuture<>();
    try (Stage stage =
        new Stage(
            UNLIMITED,
            request -> {
              request.handler(part -> begun.complete(null));
              request.endHandler(end -> seen.complete("whole"));
              request.exceptionHandler(broken -> seen.complete("broken"));
            })) {
      HttpClientRequest request = Stage.await(stage.client(version).request(HttpMethod.POST, "/"));
      if (withLength) {
        request.putHeader("Content-Length", "1000");
      } else {
        request.setChunked(true);
      }
      request.write("half");
      begun.get(30, TimeUnit.SECONDS);
      request.reset();

      assertThat(seen.get(30, TimeUnit.SECONDS)).isEqualTo("broken");
    }
  }

  @ParameterizedTest
  @CsvSource({"HTTP_1_1", "HTTP_2"})
  void aServerThatWaitsIsToldWhenTheClientHasGone(HttpVersion version) throws Exception {
    CompletableFuture<Void> asked = new CompletableFuture<>();
    CompletableFuture<String> seen = new CompletableFuture<>();
    try (Stage stage =
        new Stage(
            UNLIMITED,
            request -> {
              request.response().closeHandler(gone -> seen.complete("gone"));
              asked.complete(null);
            })) {
      HttpClientRequest request = Stage.await(stage.client(version).request(HttpMethod.GET, "/"));
      request.end();
      asked.get(30, TimeUnit.SECONDS);
      request.reset();

      assertThat(seen.get(30, TimeUnit.SECONDS)).isEqualTo("gone");
    }
  }

  @Test
  void nothingPilesUpBeforeAClientThatDoesNotRead() throws Exception {
    long total = 200_000_000;
    AtomicLong given = new AtomicLong();
    try (Stage stage = new Stage(UNLIMITED, request -> pour(request.response(), given, total));
        Socket client = stage.connect()) {
      client.setReceiveBufferSize(65_536);
      String request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
      client.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));

      long[] last = {-1};
      Until.holds(
          "the server stands still",
          () -> {
            long now = given.get();
            boolean still = now > 0 && now == last[0];
            last[0] = now;
            Thread.sleep(300);
            return still;
          });
      assertThat(given.get()).isLessThan(total / 4);

      // However slow the machine: what is on its way never grows beyond what the buffers hold.
      long read = 0;
      InputStream in = client.getInputStream();
      byte[] bytes = new byte[1 << 16];
      for (int n = in.read(bytes); n > 0; n = in.read(bytes)) {
        read += n;
        assertThat(given.get() - read).isLessThan(total / 4);
      }
      assertThat(read).isGreaterThan(total);
      assertThat(given.get()).isEqualTo(total);
    }
  }

  private static void pour(HttpServerResponse response, AtomicLong given, long total) {
    response.putHeader("Content-Length", Long.toString(total));
    Buffer part = Buffer.buffer(new byte[50_000]);
    Runnable more =
        () -> {
          while (given.get() < total && !response.writeQueueFull()) {
            given.addAndGet(part.length());
            response.write(part);
          }
          if (given.get() >= total && !response.ended()) {
            response.end();
          }
        };
    response.drainHandler(drained -> more.run());
    more.run();
  }

  private static Buffer random(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return Buffer.buffer(bytes);
  }
}
