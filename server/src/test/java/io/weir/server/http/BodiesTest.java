package io.weir.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bodies that do not come to an end. */
class BodiesTest {
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  /** As {@link Bodies#read}, with less patience than anybody would have. */
  private Listener listen() {
    return Listener.open(
            vertx,
            Bounds.PEERS.at("127.0.0.1", 0),
            1,
            request ->
                new BodyReader(request, 1000, Duration.ofMillis(50))
                    .read()
                    .onComplete(
                        read -> {
                          if (read.failed()) {
                            Replies.sendFailure(request, read.cause());
                          } else {
                            request.response().end(read.result());
                          }
                        }))
        .toCompletionStage()
        .toCompletableFuture()
        .join();
  }

  @Test
  void nobodyWaitsForABodyThatTrickles() throws IOException {
    assertThat(begin("Content-Length: 10", "half"))
        .startsWith("HTTP/1.1 408 ")
        .containsIgnoringCase("connection: close")
        .contains("\"error\":\"request_timeout\"");
    assertThat(begin("Transfer-Encoding: chunked", "4\r\nhalf\r\n")).startsWith("HTTP/1.1 408 ");
  }

  /** Reads until the connection is closed. */
  private String begin(String length, String body) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", listen().port())) {
      socket.setSoTimeout(30_000);
      String request = "POST / HTTP/1.1\r\nHost: a\r\n" + length + "\r\n\r\n" + body;
      socket.getOutputStream().write(request.getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }
}
