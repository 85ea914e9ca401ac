package io.weir.client;

import static io.weir.client.ScriptedServer.response;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rig.Await;
import java.net.CookieManager;
import java.net.HttpCookie;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
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
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Coalesced callers share a response and nothing else: no failure, no deadline, no lock. */
@Tag("slow")
@Timeout(120)
class RequestCoalescerTest {
  private final WeirClient together = WeirClient.builder().paced(false).coalesce(true).build();
  private final WeirClient small =
      WeirClient.builder().paced(false).coalesce(true).largestShared(1000).build();

  /** Some callers come and go all the time; one that stays is not affected. */
  @Test
  void callersThatComeAndGoDoNotAffectOthers() throws Exception {
    HttpClient silent =
        new DelegatingHttpClient(HttpClient.newHttpClient()) {
          @Override
          public <T> CompletableFuture<HttpResponse<T>> sendAsync(
              HttpRequest request, BodyHandler<T> handler) {
            return new CompletableFuture<>();
          }
        };
    WeirClient client = WeirClient.builder().http(silent).paced(false).coalesce(true).build();
    HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:9/")).build();
    ExecutorService threads = Executors.newFixedThreadPool(4, RequestCoalescerTest::daemon);
    AtomicBoolean wasEnded = new AtomicBoolean();
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      all.add(
          threads.submit(
              () -> {
                for (int k = 0; k < 20_000; k++) {
                  CompletableFuture<?> own = client.sendAsync(request, BodyHandlers.ofString());
                  if (own.isDone()) {
                    wasEnded.set(true);
                  }
                  own.cancel(true);
                }
              }));
    }
    for (Future<?> each : all) {
      each.get(100, TimeUnit.SECONDS);
    }
    threads.shutdownNow();
    assertThat(wasEnded).isFalse();
  }

  /** The body handler of one caller may wait for the response of another. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void callerMayWaitForAnotherInItsBodyHandler(boolean firstWaits) throws Exception {
    CountDownLatch all = new CountDownLatch(1);
    try (ScriptedServer server = held(all, response(200, "", "fine"))) {
      CompletableFuture<HttpResponse<String>> first =
          together.sendAsync(get(server), BodyHandlers.ofString());
      CompletableFuture<HttpResponse<String>> second =
          together.sendAsync(get(server), BodyHandlers.ofString());
      CompletableFuture<HttpResponse<String>> waiting = firstWaits ? first : second;
      CompletableFuture<HttpResponse<String>> other = firstWaits ? second : first;
      CompletableFuture<String> both =
          waiting.thenApply(response -> response.body() + soon(other).body());
      all.countDown();
      assertThat(soon(both)).isEqualTo("finefine");
    }
  }

  @Test
  void requestContinuesAfterTheFirstCallersDeadline() throws Exception {
    CountDownLatch all = new CountDownLatch(1);
    try (ScriptedServer server = held(all, response(200, "", "fine"))) {
      CompletableFuture<HttpResponse<String>> hasty =
          together.sendAsync(get(server), BodyHandlers.ofString(), Duration.ofSeconds(3));
      CompletableFuture<HttpResponse<String>> patient =
          together.sendAsync(get(server), BodyHandlers.ofString());
      assertThatThrownBy(() -> soon(hasty)).hasRootCauseInstanceOf(HttpTimeoutException.class);
      all.countDown();
      assertThat(soon(patient).body()).isEqualTo("fine");
      assertThat(server.requests).hasSize(1);
    }
  }

  /** The refusal lasts for longer than one has time, and not for longer than the other has. */
  @Test
  void callersWithALaterDeadlineKeepWaiting() throws Exception {
    CountDownLatch all = new CountDownLatch(1);
    try (ScriptedServer server =
        new ScriptedServer(
            (turn, request, out) -> {
              all.await(30, TimeUnit.SECONDS);
              out.write(
                  (turn == 1 ? response(429, "Retry-After: 2", "") : response(200, "", "fine"))
                      .getBytes(ISO_8859_1));
            })) {
      CompletableFuture<HttpResponse<String>> hasty =
          together.sendAsync(get(server), BodyHandlers.ofString(), Duration.ofSeconds(1));
      CompletableFuture<HttpResponse<String>> patient =
          together.sendAsync(get(server), BodyHandlers.ofString());
      all.countDown();
      assertThat(soon(patient).body()).isEqualTo("fine");
      assertThatThrownBy(() -> soon(hasty)).hasRootCauseInstanceOf(HttpTimeoutException.class);
      assertThat(server.requests).hasSize(2);
    }
  }

  @Test
  void callersWithAShorterAttemptTimeoutAreNotCoalesced() throws Exception {
    CountDownLatch all = new CountDownLatch(1);
    try (ScriptedServer server = held(all, response(200, "", "fine"))) {
      HttpRequest hasty =
          HttpRequest.newBuilder(server.url("/")).timeout(Duration.ofSeconds(30)).build();
      List<CompletableFuture<HttpResponse<String>>> both =
          List.of(
              together.sendAsync(hasty, BodyHandlers.ofString()),
              together.sendAsync(get(server), BodyHandlers.ofString()));
      Await.holds("both are there", () -> server.requests.size() == 2);
      all.countDown();
      assertThat(both).allMatch(each -> soon(each).statusCode() == 200);
    }
  }

  /** The body is too large to be shared, and never ends. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void aLargeBodyEndsAtItsDeadline(boolean hasLength) throws Exception {
    try (ScriptedServer server = endless(hasLength, new CountDownLatch(1))) {
      assertThatThrownBy(
              () ->
                  soon(
                      small.sendAsync(
                          get(server), BodyHandlers.ofString(), Duration.ofMillis(500))))
          .hasRootCauseInstanceOf(HttpTimeoutException.class);
    }
  }

  @ParameterizedTest
  @CsvSource({"true", "false"})
  void cancellingEndsALargeBody(boolean hasLength) throws Exception {
    CountDownLatch hungUp = new CountDownLatch(1);
    try (ScriptedServer server = endless(hasLength, hungUp)) {
      AtomicInteger parts = new AtomicInteger();
      CompletableFuture<HttpResponse<Void>> future =
          small.sendAsync(
              get(server), BodyHandlers.ofByteArrayConsumer(part -> parts.incrementAndGet()));
      Await.holds("it is being handed on", () -> parts.get() > 20);
      future.cancel(true);
      assertThat(hungUp.await(30, TimeUnit.SECONDS)).as("the server hears of it").isTrue();
    }
  }

  /** The handler of a caller that has left, which may write a file, is not called any more. */
  @Test
  void cancelledCallersGetNoLargeBody() throws Exception {
    CountDownLatch all = new CountDownLatch(1);
    AtomicBoolean wasCalled = new AtomicBoolean();
    String large = "x".repeat(100_000);
    try (ScriptedServer server = held(all, response(200, "", large))) {
      BodyHandler<String> leaving =
          head -> {
            wasCalled.set(true);
            return BodyHandlers.ofString().apply(head);
          };
      CompletableFuture<HttpResponse<String>> first = small.sendAsync(get(server), leaving);
      CompletableFuture<HttpResponse<String>> second =
          small.sendAsync(get(server), BodyHandlers.ofString());
      first.cancel(true);
      all.countDown();
      assertThat(soon(second).body()).isEqualTo(large);
      assertThat(wasCalled).isFalse();
    }
  }

  @Test
  void theLastCancellationEndsTheRequest() throws Exception {
    CountDownLatch hungUp = new CountDownLatch(1);
    try (ScriptedServer server = endless(false, hungUp)) {
      List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        all.add(together.sendAsync(get(server), BodyHandlers.ofString()));
      }
      Await.holds("it is there", () -> server.requests.size() == 1);
      all.forEach(each -> each.cancel(true));
      assertThat(hungUp.await(30, TimeUnit.SECONDS)).as("the server hears of it").isTrue();
    }
  }

  /** A request after a change sees it, and no earlier response is cached. */
  @Test
  void requestBegunBeforeAChangeIsNeitherSharedNorCached() throws Exception {
    CountDownLatch changed = new CountDownLatch(1);
    WeirClient client = WeirClient.builder().paced(false).coalesce(true).cache(1 << 20).build();
    try (ScriptedServer server =
        new ScriptedServer(
            (turn, request, out) -> {
              if (turn == 1) {
                changed.await(30, TimeUnit.SECONDS);
              }
              String body = turn == 1 ? "old" : "new";
              out.write(response(200, "Cache-Control: max-age=60", body).getBytes(ISO_8859_1));
            })) {
      CompletableFuture<HttpResponse<String>> before =
          client.sendAsync(get(server), BodyHandlers.ofString());
      Await.holds("it is there", () -> server.requests.size() == 1);
      soon(
          client.sendAsync(
              HttpRequest.newBuilder(server.url("/")).PUT(BodyPublishers.ofString("new")).build(),
              BodyHandlers.ofString()));
      assertThat(soon(client.sendAsync(get(server), BodyHandlers.ofString())).body())
          .isEqualTo("new");
      changed.countDown();
      assertThat(soon(before).body()).isEqualTo("old");
      assertThat(soon(client.sendAsync(get(server), BodyHandlers.ofString())).body())
          .isEqualTo("new");
    }
  }

  /** Credentials may be in the wrapped client's cookies. */
  @Test
  void aLoginAsAnotherUserGetsOtherResponses() throws Exception {
    CookieManager jar = new CookieManager();
    WeirClient client =
        WeirClient.builder()
            .http(HttpClient.newBuilder().cookieHandler(jar).build())
            .cache(1 << 20)
            .build();
    try (ScriptedServer server =
        new ScriptedServer(
            (turn, request, out) -> {
              String user = request.contains("alice") ? "alice" : "bob";
              out.write(response(200, "Cache-Control: max-age=60", user).getBytes(ISO_8859_1));
            })) {
      for (String user : List.of("alice", "bob", "alice")) {
        HttpCookie cookie = new HttpCookie("session", user);
        cookie.setPath("/");
        cookie.setVersion(0);
        jar.getCookieStore().removeAll();
        jar.getCookieStore().add(server.url("/"), cookie);
        assertThat(client.send(get(server), BodyHandlers.ofString()).body()).isEqualTo(user);
      }
      assertThat(server.requests).as("the first response was kept").hasSize(2);
    }
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "sending");
    thread.setDaemon(true);
    return thread;
  }

  private static ScriptedServer endless(boolean hasLength, CountDownLatch hungUp) throws Exception {
    return new ScriptedServer(
        (turn, request, out) -> {
          String length = hasLength ? "Content-Length: 1000000000" : "Connection: close";
          try {
            out.write(("HTTP/1.1 200 X\r\n" + length + "\r\n\r\n").getBytes(ISO_8859_1));
            while (true) {
              out.write("x".repeat(100).getBytes(ISO_8859_1));
              out.flush();
              Thread.sleep(5);
            }
          } finally {
            hungUp.countDown();
          }
        });
  }

  private static ScriptedServer held(CountDownLatch until, String response) throws Exception {
    return new ScriptedServer(
        (turn, request, out) -> {
          until.await(30, TimeUnit.SECONDS);
          out.write(response.getBytes(ISO_8859_1));
        });
  }

  private static <T> T soon(CompletableFuture<T> future) {
    try {
      return future.get(30, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("not soon", e);
    }
  }

  private static HttpRequest get(ScriptedServer server) {
    return HttpRequest.newBuilder(server.url("/")).build();
  }
}
