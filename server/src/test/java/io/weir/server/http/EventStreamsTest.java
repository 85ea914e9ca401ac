package io.weir.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rig.Await;
import io.weir.server.connection.ConnectionLimiter;
import io.weir.server.connection.LimitingTransport;
import io.weir.server.connection.ServerLimits;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Event streams, over each HTTP version. */
@Tag("slow")
class EventStreamsTest {
  private final ManualTime clock = TimeSource.manual();

  /** A strong reference, because Vert.x closes a client that is garbage collected. */
  private final List<HttpClient> clients = new ArrayList<>();

  private final Vertx vertx = LimitingTransport.vertx(new VertxOptions());
  private final ConnectionLimiter connectionLimiter =
      new ConnectionLimiter(10, ConnectionLimiter.Timeouts.USUAL, clock);
  private final EventStreams streams = new EventStreams(1);
  private final Listener listener =
      await(
          Listener.open(
              vertx,
              ServerLimits.PUBLIC.at("127.0.0.1", 0),
              Optional.empty(),
              connectionLimiter,
              1,
              request -> assertThat(streams.listen(request, ": begun\n\n")).isTrue()));

  @AfterEach
  void close() {
    await(vertx.close());
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().orTimeout(1, TimeUnit.MINUTES).join();
  }

  private HttpClientResponse listen(HttpVersion version) {
    HttpClient client =
        vertx.createHttpClient(
            new HttpClientOptions().setProtocolVersion(version).setHttp2ClearTextUpgrade(false));
    clients.add(client);
    return await(
        client
            .request(HttpMethod.GET, listener.port(), "127.0.0.1", "/")
            .compose(request -> request.send())
            .onSuccess(
                response -> response.exceptionHandler(gone -> {}).handler(late -> {}).pause()));
  }

  /** A client of a stream sends nothing, but is not idle. */
  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
  void outlastsTheIdleTimeout(HttpVersion version) throws Exception {
    StringBuffer received = new StringBuffer();
    HttpClientResponse response = listen(version);
    response.handler(part -> received.append(part.toString(UTF_8)));
    response.resume();
    Await.holds("it begins", () -> received.toString().equals(": begun\n\n"));
    try (Socket silent = new Socket("127.0.0.1", listener.port())) {
      Await.holds("another is connected", () -> connectionLimiter.inside() == 2);
      Await.holds(
          "an idle connection would be closed by now",
          () -> {
            clock.advance(ConnectionLimiter.Timeouts.USUAL.idle());
            return connectionLimiter.inside() == 1;
          });
      assertThat(silent.getInputStream().read()).isEqualTo(-1);
    }
    streams.publish(EventStreams.event("late", "{}"));
    Await.holds("it is sent", () -> received.toString().endsWith("event: late\ndata: {}\n\n"));
    assertThat(streams.listeners()).isEqualTo(1);
    streams.close();
    await(response.end());
  }

  @ParameterizedTest
  @EnumSource(names = {"HTTP_1_1", "HTTP_2"})
  void closesStreamThatIsNotRead(HttpVersion version) {
    HttpClientResponse deaf = listen(version);
    Await.holds("it listens", () -> streams.listeners() == 1);
    String large = EventStreams.event("large", "\"" + "x".repeat(50_000) + "\"");
    Await.holds(
        "it is dropped",
        () -> {
          streams.publish(large);
          return streams.listeners() == 0;
        });
    deaf.resume(); // what was sent before is still delivered
    assertThat(listen(version).statusCode()).as("there is capacity again").isEqualTo(200);
  }
}
