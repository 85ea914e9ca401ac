package io.weir.client;

import static io.weir.client.ScriptedServer.response;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rig.Await;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Functions of the application may throw or be slow without delaying other requests. */
@Timeout(120)
class UserCallbackTest {
  private static final String GOOD = response(200, "", "fine");
  private static final String TROUBLE = response(503, "", "");

  /** The first time, and when a request goes again. */
  @ParameterizedTest
  @CsvSource({"1", "2"})
  void throwingScopeFailsTheRequest(int turn) throws Exception {
    AtomicInteger turns = new AtomicInteger();
    WeirClient client =
        quick()
            .scope(
                request -> {
                  if (turns.incrementAndGet() == turn) {
                    throw new IllegalStateException("no scope");
                  }
                  return "all";
                })
            .build();
    try (ScriptedServer server = ScriptedServer.saying(TROUBLE, GOOD)) {
      assertThatThrownBy(() -> soon(client.sendAsync(get(server), BodyHandlers.ofString())))
          .hasRootCauseMessage("no scope");
      assertThat(soon(client.sendAsync(get(server), BodyHandlers.ofString())).body())
          .isEqualTo("fine");
    }
  }

  @Test
  void throwingPredicateFailsTheRequest() throws Exception {
    WeirClient client =
        quick()
            .repeatable(
                request -> {
                  throw new IllegalStateException("cannot tell");
                })
            .build();
    try (ScriptedServer server =
        new ScriptedServer(
            (turn, request, out) -> {
              throw new IOException("closes");
            })) {
      assertThatThrownBy(() -> soon(client.sendAsync(get(server), BodyHandlers.ofString())))
          .hasRootCauseMessage("cannot tell");
    }
    try (ScriptedServer server = ScriptedServer.saying(TROUBLE)) {
      assertThatThrownBy(() -> soon(client.sendAsync(get(server), BodyHandlers.ofString())))
          .hasRootCauseMessage("cannot tell");
    }
  }

  @Test
  void wrappedClientThatThrowsReleasesItsSlot() throws Exception {
    AtomicBoolean isBroken = new AtomicBoolean(true);
    HttpClient breaking =
        new DelegatingHttpClient(HttpClient.newHttpClient()) {
          @Override
          public <T> CompletableFuture<HttpResponse<T>> sendAsync(
              HttpRequest request, BodyHandler<T> handler) {
            if (isBroken.getAndSet(false)) {
              throw new LinkageError("no such class");
            }
            return super.sendAsync(request, handler);
          }
        };
    WeirClient client = WeirClient.builder().http(breaking).build();
    try (ScriptedServer server = ScriptedServer.saying(GOOD)) {
      assertThatThrownBy(() -> soon(client.sendAsync(get(server), BodyHandlers.ofString())))
          .hasRootCauseMessage("no such class");
      assertThat(soon(client.sendAsync(get(server), BodyHandlers.ofString())).body())
          .isEqualTo("fine");
    }
  }

  /** For bodies of any size, and for cached responses. */
  @ParameterizedTest
  @CsvSource({"10", "100000"})
  void throwingHandlerFailsOnlyItsRequest(int size) throws Exception {
    WeirClient client =
        quick().coalesce(true).cache(1 << 20).largestShared(5000).paced(false).build();
    BodyHandler<String> throwing =
        head -> {
          throw new IllegalStateException("cannot read");
        };
    CountDownLatch both = new CountDownLatch(1);
    String body = "x".repeat(size);
    try (ScriptedServer server =
        new ScriptedServer(
            (turn, request, out) -> {
              both.await(30, TimeUnit.SECONDS);
              out.write(response(200, "Cache-Control: max-age=60", body).getBytes());
            })) {
      CompletableFuture<HttpResponse<String>> first = client.sendAsync(get(server), throwing);
      CompletableFuture<HttpResponse<String>> second =
          client.sendAsync(get(server), BodyHandlers.ofString());
      both.countDown();
      assertThatThrownBy(() -> soon(first)).hasRootCauseMessage("cannot read");
      assertThat(soon(second).body()).isEqualTo(body);
      assertThatThrownBy(() -> soon(client.sendAsync(get(server), throwing)))
          .hasRootCauseMessage("cannot read");
    }
  }

  /** Its only thread is busy, so that nothing is sent; time passes all the same. */
  @Test
  void deadlinesHoldWhileTheExecutorIsBusy() throws Exception {
    ExecutorService one = Executors.newSingleThreadExecutor();
    CountDownLatch busy = new CountDownLatch(1);
    try (ScriptedServer server = ScriptedServer.saying(GOOD)) {
      WeirClient client =
          WeirClient.builder().http(HttpClient.newBuilder().executor(one).build()).build();
      one.execute(() -> await(busy));
      assertThatThrownBy(
              () ->
                  soon(
                      client.sendAsync(
                          get(server), BodyHandlers.ofString(), Duration.ofMillis(200))))
          .hasCauseInstanceOf(HttpTimeoutException.class);
    } finally {
      busy.countDown();
      one.shutdownNow();
    }
  }

  /** A callback that blocks holds up its own request, and no alarm of others. */
  @Test
  void timeoutsDoNotWaitForCallbacksOfOtherRequests() throws Exception {
    CountDownLatch busy = new CountDownLatch(1);
    AtomicInteger blocked = new AtomicInteger();
    WeirClient client = WeirClient.builder().paced(false).build();
    try (ScriptedServer server = new ScriptedServer((turn, request, out) -> await(busy))) {
      for (int i = 0; i < 8; i++) {
        var unused =
            client
                .sendAsync(get(server), BodyHandlers.ofString(), Duration.ofMillis(100))
                .whenComplete(
                    (response, failure) -> {
                      blocked.incrementAndGet();
                      await(busy);
                    });
      }
      Await.holds("all callbacks block", () -> blocked.get() == 8);
      assertThatThrownBy(
              () ->
                  soon(
                      client.sendAsync(
                          get(server), BodyHandlers.ofString(), Duration.ofMillis(100))))
          .hasCauseInstanceOf(HttpTimeoutException.class);
    } finally {
      busy.countDown();
    }
  }

  /** Coalesced callers do not need a thread each. */
  @Test
  void blockingHandlersUseABoundedNumberOfThreads() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch busy = new CountDownLatch(1);
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger maxInside = new AtomicInteger();
    BodyHandler<String> blocking =
        head -> {
          maxInside.accumulateAndGet(inside.incrementAndGet(), Math::max);
          await(busy);
          inside.decrementAndGet();
          return BodyHandlers.ofString().apply(head);
        };
    WeirClient client = WeirClient.builder().coalesce(true).build();
    try (ScriptedServer server =
        new ScriptedServer(
            (turn, request, out) -> {
              await(release);
              out.write(GOOD.getBytes());
            })) {
      List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
      for (int i = 0; i < CallbackPool.MAX_CALLBACKS + 100; i++) {
        all.add(client.sendAsync(get(server), blocking));
      }
      release.countDown();
      Await.holds("all hands are busy", () -> inside.get() >= CallbackPool.MAX_CALLBACKS);
      CompletableFuture<HttpResponse<String>> hasty =
          client.sendAsync(
              HttpRequest.newBuilder(server.url("/other")).build(),
              BodyHandlers.ofString(),
              Duration.ofMillis(200));
      assertThatThrownBy(() -> soon(hasty)).hasCauseInstanceOf(HttpTimeoutException.class);
      busy.countDown();
      for (CompletableFuture<HttpResponse<String>> each : all) {
        assertThat(soon(each).body()).isEqualTo("fine");
      }
      assertThat(maxInside.get()).isEqualTo(CallbackPool.MAX_CALLBACKS);
      assertThat(client.send(get(server), BodyHandlers.ofString()).body()).isEqualTo("fine");
    } finally {
      busy.countDown();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static WeirClient.Builder quick() {
    return WeirClient.builder().backoff(Duration.ofMillis(1), Duration.ofMillis(5));
  }

  private static <T> T soon(CompletableFuture<T> future) throws Exception {
    return future.get(30, TimeUnit.SECONDS);
  }

  private static HttpRequest get(ScriptedServer server) {
    return HttpRequest.newBuilder(server.url("/")).build();
  }
}
