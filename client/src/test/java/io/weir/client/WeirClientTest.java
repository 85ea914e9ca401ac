package io.weir.client;

import static io.weir.client.ScriptedServer.response;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.rig.Await;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The result of one request, for all kinds of responses. */
@Tag("slow")
@Timeout(120)
class WeirClientTest {
  private static final String GOOD = response(200, "", "fine");
  private static final String REFUSED =
      response(
          429,
          "Retry-After: 1|RateLimit: \"client\";r=0;t=1|RateLimit-Policy: \"client\";q=100;w=10",
          "no");

  private final WeirClient client =
      WeirClient.builder().backoff(Duration.ofMillis(1), Duration.ofMillis(5)).build();

  @Test
  void retriesRefusedRequestIfAllowed() throws Exception {
    try (ScriptedServer server = ScriptedServer.saying(REFUSED, GOOD)) {
      long start = System.nanoTime();
      HttpResponse<String> response = client.send(get(server), BodyHandlers.ofString());
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.body()).isEqualTo("fine");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(SECOND);
      assertThat(server.requests).hasSize(2);
    }
  }

  private static final Duration SECOND = Duration.ofSeconds(1);

  /** method, status, headers of the request, how often it is sent, whether it ends in an error */
  @ParameterizedTest
  @CsvSource({
    "GET,    503, '',                  4, false",
    "GET,    502, '',                  4, false",
    "GET,    504, '',                  4, false",
    "GET,    500, '',                  1, false",
    "GET,    404, '',                  1, false",
    "HEAD,   503, '',                  4, false",
    "PUT,    503, '',                  4, false",
    "DELETE, 503, '',                  4, false",
    "POST,   503, '',                  1, false",
    "PATCH,  503, '',                  1, false",
    "POST,   503, Idempotency-Key: 17, 4, false",
    "GET,    429, '',                  4, true",
    "POST,   429, '',                  4, true",
  })
  void retriesByMethodAndStatus(String method, int status, String header, int times, boolean fails)
      throws Exception {
    try (ScriptedServer server =
        ScriptedServer.saying(response(status, "", method.equals("HEAD") ? "" : "x"))) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(server.url("/"))
              .method(
                  method,
                  method.startsWith("P") ? BodyPublishers.ofString("b") : BodyPublishers.noBody());
      if (!header.isEmpty()) {
        request.header(header.split(": ")[0], header.split(": ")[1]);
      }
      if (fails) {
        assertThatThrownBy(() -> client.send(request.build(), BodyHandlers.ofString()))
            .isInstanceOf(RateLimitedException.class);
      } else {
        HttpResponse<String> last = client.send(request.build(), BodyHandlers.ofString());
        assertThat(last.statusCode()).isEqualTo(status);
      }
      assertThat(server.requests).hasSize(times).allMatch(each -> each.startsWith(method));
    }
  }

  @Test
  void theExceptionReportsTheRefusal() throws Exception {
    try (ScriptedServer server = ScriptedServer.saying(REFUSED)) {
      WeirClient once = WeirClient.builder().attempts(1).build();
      RateLimitedException refused =
          catchThrowableOfType(
              RateLimitedException.class, () -> once.send(get(server), BodyHandlers.ofString()));
      assertThat(refused.status()).hasValue(429);
      assertThat(refused.attempts()).isEqualTo(1);
      assertThat(refused.retryAfter()).contains(SECOND);
      assertThat(refused.quota().orElseThrow().policy()).isEqualTo("client");
      assertThat(refused.quota().orElseThrow().limit()).hasValue(100);
      assertThat(refused.quota().orElseThrow().remaining()).hasValue(0);
      assertThat(refused.waited()).isLessThan(SECOND);
      assertThat(refused)
          .hasMessageContaining("GET http://127.0.0.1/ was refused (429)")
          .hasMessageContaining(
              "limit 'client' of 100 in 10 s has 0 left; more is available in 1 s")
          .hasMessageContaining("1 attempt")
          .hasMessageContaining("no attempts are left; retry later");
    }
  }

  @Test
  void discardsBodiesOfUndeliveredResponses(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("body");
    try (ScriptedServer server =
        ScriptedServer.saying(REFUSED, response(503, "", "broken"), GOOD)) {
      client.send(get(server), BodyHandlers.ofFile(file));
      assertThat(file).hasContent("fine");
    }
    Files.writeString(file, "old");
    try (ScriptedServer server = ScriptedServer.saying(REFUSED)) {
      WeirClient once = WeirClient.builder().attempts(1).build();
      assertThatThrownBy(() -> once.send(get(server), BodyHandlers.ofFile(file)))
          .isInstanceOf(RateLimitedException.class);
      assertThat(file).hasContent("old");
    }
  }

  @Test
  void aBodyThatCanBeReadOnceIsSentOnce() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer((turn, request, out) -> out.write(REFUSED.getBytes()))) {
      ByteArrayInputStream stream = new ByteArrayInputStream(new byte[0]);
      HttpRequest request =
          HttpRequest.newBuilder(server.url("/"))
              .POST(BodyPublishers.ofInputStream(() -> stream))
              .build();
      assertThatThrownBy(() -> client.send(request, BodyHandlers.ofString()))
          .isInstanceOf(RateLimitedException.class)
          .hasMessageContaining("it cannot be sent twice");
    }
  }

  @Test
  void resendsTheBody() throws Exception {
    try (ScriptedServer server = ScriptedServer.saying(REFUSED, GOOD)) {
      client.send(
          HttpRequest.newBuilder(server.url("/")).POST(BodyPublishers.ofString("order")).build(),
          BodyHandlers.ofString());
      assertThat(server.requests).hasSize(2).allMatch(request -> request.endsWith("order"));
    }
  }

  @Test
  void retriesAfterClosedConnectionIfTheRequestMayBeRepeated() throws Exception {
    ScriptedServer.Script breaking =
        (turn, request, out) -> {
          if (turn < 3) {
            throw new IOException("closes");
          }
          out.write(GOOD.getBytes());
        };
    try (ScriptedServer server = new ScriptedServer(breaking)) {
      assertThat(client.send(get(server), BodyHandlers.ofString()).body()).isEqualTo("fine");
    }
    try (ScriptedServer server = new ScriptedServer(breaking)) {
      HttpRequest post =
          HttpRequest.newBuilder(server.url("/")).POST(BodyPublishers.ofString("x")).build();
      assertThatThrownBy(() -> client.send(post, BodyHandlers.ofString()))
          .isInstanceOf(IOException.class);
      assertThat(server.requests).hasSize(1);
    }
  }

  @Test
  void connectionRefusedIsAnIOException() throws Exception {
    ScriptedServer gone = ScriptedServer.saying(GOOD);
    HttpRequest request = get(gone);
    gone.close();
    assertThatThrownBy(() -> client.send(request, BodyHandlers.ofString()))
        .isInstanceOf(IOException.class);
  }

  /** A wait that would pass the deadline is not begun. */
  @Test
  void givesUpAtOnceWhereWaitingIsNoUse() throws Exception {
    try (ScriptedServer server = ScriptedServer.saying(response(429, "Retry-After: 60", ""))) {
      long start = System.nanoTime();
      assertThatThrownBy(
              () -> client.send(get(server), BodyHandlers.ofString(), Duration.ofSeconds(30)))
          .isInstanceOf(RateLimitedException.class)
          .hasMessageContaining("the wait would pass its deadline");
      assertThatThrownBy(
              () -> client.send(get(server), BodyHandlers.ofString(), Duration.ofSeconds(30)))
          .as("the second is not even sent")
          .isInstanceOf(RateLimitedException.class)
          .hasMessageContaining("was not sent");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(20));
      assertThat(server.requests).hasSize(1);
    }
  }

  /** A failing server receives few additional requests. */
  @Test
  void retriesAreAPartOfAllRequests() throws Exception {
    WeirClient patient =
        WeirClient.builder()
            .backoff(Duration.ofNanos(1), Duration.ofNanos(1))
            .retryBudget(0.1, 0)
            .build();
    try (ScriptedServer server = ScriptedServer.saying(response(503, "", ""))) {
      for (int i = 0; i < 300; i++) {
        patient.send(get(server), BodyHandlers.ofString());
      }
      assertThat(server.requests.size()).isBetween(310, 345);
    }
  }

  @Test
  void smallRetryBudgetAllowsARetry() throws Exception {
    WeirClient thrifty =
        WeirClient.builder()
            .backoff(Duration.ofNanos(1), Duration.ofNanos(1))
            .retryBudget(0.001, 0)
            .build();
    try (ScriptedServer server = ScriptedServer.saying(response(503, "", ""), GOOD)) {
      assertThat(thrifty.send(get(server), BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    }
  }

  /** Where waiting is of no use, the failed response is returned. */
  @Test
  void anErrorThatUsedUpTheLimitIsReturned() throws Exception {
    String error =
        response(503, "RateLimit: \"a\";r=0;t=3600|RateLimit-Policy: \"a\";q=5;w=3600", "broken");
    try (ScriptedServer server = ScriptedServer.saying(error)) {
      HttpResponse<String> response = client.send(get(server), BodyHandlers.ofString());
      assertThat(response.statusCode()).isEqualTo(503);
      assertThat(response.body()).isEqualTo("broken");
      assertThatThrownBy(() -> client.send(get(server), BodyHandlers.ofString()))
          .isInstanceOf(RateLimitedException.class)
          .hasMessageContaining("was not sent")
          .hasMessageContaining("limit 'a' of 5 in 3600 s has 0 left; more is available in 3");
      assertThat(server.requests).hasSize(1);
    }
  }

  /** A request refused and then held back was sent once, and the exception reports that. */
  @Test
  void theExceptionReportsTheLastStatusAfterALaterWait() throws Exception {
    String also = "RateLimit: \"a\";r=0;t=1, \"b\";r=0;t=3600|Retry-After: 0";
    try (ScriptedServer server = ScriptedServer.saying(response(429, also, ""))) {
      RateLimitedException refused =
          catchThrowableOfType(
              RateLimitedException.class, () -> client.send(get(server), BodyHandlers.ofString()));
      assertThat(refused.status()).hasValue(429);
      assertThat(refused.attempts()).isEqualTo(1);
      assertThat(refused.quota().orElseThrow().policy()).isEqualTo("b");
      assertThat(server.requests).hasSize(1);
    }
  }

  @Test
  void cancelledRequestEnds() throws Exception {
    try (ScriptedServer server =
        ScriptedServer.saying(response(429, "Retry-After: 50", ""), GOOD)) {
      CompletableFuture<HttpResponse<String>> future =
          client.sendAsync(get(server), BodyHandlers.ofString());
      Await.holds("it was sent", () -> !server.requests.isEmpty());
      assertThat(future.cancel(true)).isTrue();
      assertThat(future).isCancelled();
    }
  }

  /** Before it is known that there are no limits, one goes ahead; then nothing is held back. */
  @Test
  void delaysNothingWithoutLimits() throws Exception {
    CountDownLatch allAreThere = new CountDownLatch(1);
    try (ScriptedServer server =
        new ScriptedServer(
            (turn, request, out) -> {
              if (turn > 1) {
                allAreThere.await();
              }
              out.write(GOOD.getBytes());
            })) {
      client.send(get(server), BodyHandlers.ofString());
      List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        all.add(client.sendAsync(get(server), BodyHandlers.ofString()));
      }
      Await.holds("all are there", () -> server.requests.size() == 31);
      assertThat(all).noneMatch(CompletableFuture::isDone);
      allAreThere.countDown();
      CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
    }
  }

  @ParameterizedTest
  @CsvSource({"0", "-5", "9999999999"})
  void settingsAreChecked(long seconds) {
    Duration wrong = Duration.ofSeconds(seconds);
    assertThatThrownBy(() -> WeirClient.builder().longestWait(wrong))
        .hasMessageStartingWith("longestWait must be positive and at most 100 years, not");
    assertThatThrownBy(() -> WeirClient.builder().deadline(wrong))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void otherSettingsAreChecked() {
    assertThatThrownBy(() -> WeirClient.builder().attempts(0))
        .hasMessage("attempts must be at least 1, not 0");
    assertThatThrownBy(() -> WeirClient.builder().retryBudget(-1, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static HttpRequest get(ScriptedServer server) {
    return HttpRequest.newBuilder(server.url("/")).build();
  }
}
