package io.weir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.rig.Await;
import io.weir.server.connection.LimitingTransport;
import io.weir.server.connection.ServerLimits;
import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Responses that are sent before the request is complete. */
@Timeout(120)
class HttpResponsesTest {
  private final Vertx vertx = LimitingTransport.vertx(new VertxOptions());

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  /** Waiting a minute for the rest would retain the stream as long. */
  @Test
  void keepsNothingOfAFinishedStream() throws Exception {
    AtomicReference<WeakReference<HttpServerRequest>> seen = new AtomicReference<>();
    int port =
        await(
                Listener.open(
                    vertx,
                    ServerLimits.PEERS.at("127.0.0.1", 0),
                    1,
                    request -> {
                      seen.set(new WeakReference<>(request));
                      HttpResponses.sendFailure(request, new Bodies.TooLargeException(1));
                    }))
            .port();
    HttpClient client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false));
    HttpClientRequest request = await(client.request(HttpMethod.POST, port, "127.0.0.1", "/"));
    request.setChunked(true).write(Buffer.buffer("a"));
    assertThat(await(request.response()).statusCode()).isEqualTo(413);
    await(request.end());

    Await.holds(
        "the request can be collected",
        () -> {
          System.gc();
          return seen.get().get() == null;
        });
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }
}
