package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.streams.ReadStream;
import io.vertx.core.streams.WriteStream;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Slow clients and servers are waited for and do not slow others. */
@Tag("slow")
class SlowPeersTest {
  private static final Buffer PART = Buffer.buffer(new byte[50_000]);
  private static final long PARTS = 1000;

  /** They share one connection to the server and must not block it together. */
  @ParameterizedTest
  @ValueSource(
      strings = {"http", "h2c", ProtocolCombinations.HTTPS_1, ProtocolCombinations.HTTPS_2})
  void manySlowReadersDoNotDelayOthers(String out) throws Exception {
    AtomicLong given = new AtomicLong();
    List<Socket> readers = new ArrayList<>();
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(ProtocolCombinations.UNLIMITED)
            .server(out, request -> serve(request, given))
            .settings(to -> to.forwarding().responseTimeout(Duration.ofSeconds(10)))
            .build()) {
      for (int i = 0; i < 40; i++) {
        Socket reader = new Socket();
        reader.setReceiveBufferSize(16_384);
        reader.connect(new InetSocketAddress("127.0.0.1", gatewayFixture.port()));
        reader.getOutputStream().write("GET /large HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII));
        readers.add(reader);
      }
      GatewayFixture.awaitStable(given::get);
      for (int i = 0; i < 3; i++) {
        assertThat(gatewayFixture.send("GET /small")).startsWith("HTTP/1.1 200 ").endsWith("small");
      }
    } finally {
      for (Socket reader : readers) {
        reader.close();
      }
    }
  }

  /** Unread responses would fill the memory, so the next request is not forwarded. */
  @Test
  void pausesClientThatSendsRequestsWithoutReading() throws Exception {
    int requests = 1000;
    byte[] large = new byte[50_000];
    AtomicLong received = new AtomicLong();
    try (GatewayFixture gatewayFixture =
            new GatewayFixture(
                ProtocolCombinations.UNLIMITED,
                request -> {
                  received.incrementAndGet();
                  request.response().end(Buffer.buffer(large));
                });
        Socket client = new Socket()) {
      client.setReceiveBufferSize(16_384);
      client.connect(new InetSocketAddress("127.0.0.1", gatewayFixture.port()));
      client
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(requests).getBytes(US_ASCII));
      GatewayFixture.awaitStable(received::get);
      assertThat(received.get()).isBetween(1L, requests / 2L);
      long bytes = 0;
      byte[] some = new byte[1 << 16];
      while (received.get() < requests) {
        int more = client.getInputStream().read(some);
        assertThat(more).as("after %s bytes", bytes).isPositive();
        bytes += more;
      }
    }
  }

  private static void serve(HttpServerRequest request, AtomicLong given) {
    if (request.path().equals("/small")) {
      request.response().end("small");
      return;
    }
    BodyPump.into(request.response().setChunked(true), PART, BodyPump.ENDLESS, given);
  }

  /** On any machine, the bytes in flight never exceed what the buffers hold. */
  @Test
  void buffersLittleForClientThatDoesNotRead() throws Exception {
    long parts = 4000;
    AtomicLong given = new AtomicLong();
    try (GatewayFixture gatewayFixture =
            ProtocolCombinations.before(
                "http",
                request -> {
                  request.response().putHeader("Content-Length", "" + parts * PART.length());
                  BodyPump.into(request.response(), PART, parts, given);
                });
        Socket client = gatewayFixture.connect()) {
      client.setReceiveBufferSize(65_536);
      String request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
      client.getOutputStream().write(request.getBytes(US_ASCII));
      GatewayFixture.awaitStable(given::get);
      assertThat(given.get()).isLessThan(parts / 4);
      long read = 0;
      InputStream in = client.getInputStream();
      byte[] bytes = new byte[1 << 16];
      for (int n = in.read(bytes); n > 0; n = in.read(bytes)) {
        read += n;
        assertThat(given.get() - read / PART.length()).isLessThan(parts / 4);
      }
      assertThat(read).isGreaterThan(parts * PART.length());
      assertThat(given.get()).isEqualTo(parts);
    }
  }

  @ParameterizedTest
  @MethodSource(ProtocolCombinations.ALL)
  void waitsForSlowWriter(HttpVersion in, String out) {
    try (GatewayFixture gatewayFixture =
        ProtocolCombinations.before(
            out, request -> request.body().onSuccess(request.response()::end))) {
      HttpClientRequest request =
          GatewayFixture.await(gatewayFixture.client(in).request(HttpMethod.POST, "/"));
      request.setChunked(true);
      Future<HttpClientResponse> response = request.response();
      drip(gatewayFixture, request, 10);
      assertThat(GatewayFixture.await(response.compose(HttpClientResponse::body)).toString())
          .isEqualTo("drop".repeat(10));
    }
  }

  private static void drip(GatewayFixture gatewayFixture, WriteStream<Buffer> to, int left) {
    to.write(Buffer.buffer("drop"));
    if (left == 1) {
      to.end();
    } else {
      gatewayFixture.vertx.setTimer(60, next -> drip(gatewayFixture, to, left - 1));
    }
  }

  @ParameterizedTest
  @MethodSource(ProtocolCombinations.ALL)
  void waitsForSlowServerAndForwardsItsHeadFirst(HttpVersion in, String out) {
    CompletableFuture<HttpServerResponse> answering = new CompletableFuture<>();
    try (GatewayFixture gatewayFixture =
        ProtocolCombinations.before(
            out,
            request -> {
              request.response().setChunked(true).writeHead();
              answering.complete(request.response());
            })) {
      HttpClientResponse response =
          GatewayFixture.await(
              gatewayFixture
                  .client(in)
                  .request(HttpMethod.GET, "/")
                  .compose(HttpClientRequest::send)); // before any byte of the body
      Future<Buffer> body = response.body();
      drip(gatewayFixture, answering.join(), 10);
      assertThat(GatewayFixture.await(body).toString()).isEqualTo("drop".repeat(10));
    }
  }

  @ParameterizedTest
  @MethodSource(ProtocolCombinations.ALL)
  void slowReaderSlowsTheServer(HttpVersion in, String out) throws Exception {
    AtomicLong given = new AtomicLong();
    try (GatewayFixture gatewayFixture =
        ProtocolCombinations.before(
            out,
            request -> BodyPump.into(request.response().setChunked(true), PART, PARTS, given))) {
      Slowly read = new Slowly();
      gatewayFixture
          .client(in)
          .request(HttpMethod.GET, "/")
          .compose(HttpClientRequest::send)
          .onSuccess(read::from);
      GatewayFixture.awaitStable(given::get);
      assertThat(given.get()).isLessThan(PARTS);
      read.begin();
      assertThat(read.whole.get(60, TimeUnit.SECONDS)).isEqualTo(PARTS * PART.length());
    }
  }

  @ParameterizedTest
  @MethodSource(ProtocolCombinations.ALL)
  void slowlyReadingServerSlowsTheClient(HttpVersion in, String out) throws Exception {
    AtomicLong given = new AtomicLong();
    Slowly read = new Slowly();
    try (GatewayFixture gatewayFixture =
        ProtocolCombinations.before(
            out,
            request -> {
              read.from(request);
              read.whole.thenAccept(bytes -> request.response().end("" + bytes));
            })) {
      HttpClientRequest request =
          GatewayFixture.await(gatewayFixture.client(in).request(HttpMethod.POST, "/"));
      var pending = GatewayFixture.wholeOf(request.setChunked(true).response());
      BodyPump.into(request, PART, PARTS, given);
      GatewayFixture.awaitStable(given::get);
      assertThat(given.get()).isLessThan(PARTS);
      read.begin();
      assertThat(GatewayFixture.await(pending).body()).isEqualTo("" + PARTS * PART.length());
    }
  }

  /** Reads nothing at first, and everything later. */
  private static final class Slowly {
    final CompletableFuture<Long> whole = new CompletableFuture<>();
    private final CompletableFuture<ReadStream<Buffer>> stream = new CompletableFuture<>();

    void from(ReadStream<Buffer> slow) {
      long[] bytes = {0};
      slow.pause();
      slow.handler(part -> bytes[0] += part.length());
      slow.endHandler(end -> whole.complete(bytes[0]));
      slow.exceptionHandler(whole::completeExceptionally);
      stream.complete(slow);
    }

    void begin() throws Exception {
      stream.get(30, TimeUnit.SECONDS).resume();
    }
  }
}
