package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever is slow is waited for, and is slow for itself alone. */
class SlowTest {
  private static final String UNLIMITED = "rules: [ { name: all, limit: 1000000 per second } ]";

  /** All of them share a connection to the server, and must not use it up together. */
  @ParameterizedTest
  @ValueSource(strings = {"http", "h2c"})
  void manyWhoDoNotReadKeepNobodyElseWaiting(String out) throws Exception {
    AtomicLong given = new AtomicLong();
    List<Socket> readers = new ArrayList<>();
    try (Stage stage =
        new Stage.Builder(UNLIMITED)
            .server(out, request -> serve(request, given))
            .settings(to -> to.forwarding().responseTimeout(Duration.ofSeconds(10)))
            .build()) {
      for (int i = 0; i < 40; i++) {
        Socket reader = new Socket();
        reader.setReceiveBufferSize(16_384);
        reader.connect(new InetSocketAddress("127.0.0.1", stage.port()));
        reader.getOutputStream().write("GET /large HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(US_ASCII));
        readers.add(reader);
      }
      Stage.untilStill(given::get);
      for (int i = 0; i < 3; i++) {
        assertThat(stage.ask("GET /small")).startsWith("HTTP/1.1 200 ").endsWith("small");
      }
    } finally {
      for (Socket reader : readers) {
        reader.close();
      }
    }
  }

  /** Answers that nobody takes would fill the memory: the next one is not asked for. */
  @Test
  void whoAsksOnAndOnAndDoesNotReadHasToReadFirst() throws Exception {
    int requests = 1000;
    byte[] large = new byte[50_000];
    AtomicLong asked = new AtomicLong();
    try (Stage stage =
            new Stage(
                UNLIMITED,
                request -> {
                  asked.incrementAndGet();
                  request.response().end(Buffer.buffer(large));
                });
        Socket client = new Socket()) {
      client.setReceiveBufferSize(16_384);
      client.connect(new InetSocketAddress("127.0.0.1", stage.port()));
      client
          .getOutputStream()
          .write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(requests).getBytes(US_ASCII));
      Stage.untilStill(asked::get);
      assertThat(asked.get()).isBetween(1L, requests / 2L);
      long bytes = 0;
      byte[] some = new byte[1 << 16];
      while (asked.get() < requests) {
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
    HttpServerResponse response = request.response().setChunked(true);
    Buffer part = Buffer.buffer(new byte[50_000]);
    Runnable more =
        () -> {
          while (!response.closed() && !response.writeQueueFull()) {
            response.write(part);
            given.addAndGet(part.length());
          }
        };
    response.exceptionHandler(gone -> {});
    response.drainHandler(room -> more.run());
    more.run();
  }
}
