package io.weir.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.weir.rules.file.RuleFiles;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The client before a real gateway. */
@Timeout(180)
class GatewayIntegrationTest {
  private static final int CLIENTS = 50;
  private static final int LIMIT = 300;

  /** A burst within the limit goes without a wait. */
  @Test
  void sendsABurstAtOnceAndPacesTheRest() throws Exception {
    String rules =
        """
        rules:
          - { name: all, limit: { rate: 20 per second, burst: 100 } }
        """;
    try (Server server = gateway(rules)) {
      CountingHttpClient http = new CountingHttpClient();
      WeirClient client = WeirClient.builder().http(http).build();
      List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
      for (int i = 0; i < 140; i++) {
        all.add(client.sendAsync(get(server, "/items/" + i), BodyHandlers.ofString()));
      }
      for (CompletableFuture<HttpResponse<String>> each : all) {
        assertThat(each.get().statusCode()).isEqualTo(200);
      }
      assertThat(http.refused.sum()).isZero();
    }
  }

  /** A request that cannot be sent in time fails at once, with the limit's name. */
  @Test
  void reportsTheLimitThatItGaveUpOn() throws Exception {
    String rules =
        """
        rules:
          - { name: login, match: { path: /login }, limit: { algorithm: sliding-log, rate: 3 per 7d } }
        """;
    try (Server server = gateway(rules)) {
      WeirClient client = WeirClient.builder().http(new CountingHttpClient()).build();
      for (int i = 0; i < 3; i++) {
        client.send(get(server, "/login"), BodyHandlers.ofString());
      }
      RateLimitedException refused =
          catchThrowableOfType(
              RateLimitedException.class,
              () -> client.send(get(server, "/login"), BodyHandlers.ofString()));
      assertThat(refused.quota().orElseThrow().policy()).isEqualTo("login");
      assertThat(refused.quota().orElseThrow().limit()).hasValue(3);
      assertThat(refused.status()).as("it was not even sent").isEmpty();
      assertThat(client.send(get(server, "/"), BodyHandlers.ofString()).statusCode())
          .isEqualTo(200);
    }
  }

  /**
   * The proof: the whole limit is used and hardly any request is refused, compared with naive
   * clients.
   */
  @Test
  @Tag("slow")
  void fleetUsesTheLimitWithFewRefusals() throws Exception {
    String rules =
        "rules: [ { name: all, limit: { rate: %d per second, burst: %d } } ]"
            .formatted(LIMIT, LIMIT);
    try (Server server = gateway(rules)) {
      measure(server, http -> naive(http, false), Duration.ofSeconds(3)); // warms up
      Result storming = measure(server, http -> naive(http, false), Duration.ofSeconds(2));
      Thread.sleep(1500); // all is left again
      Result waiting = measure(server, http -> naive(http, true), Duration.ofSeconds(5));
      Thread.sleep(1500);
      Result paced = measurePaced(server);
      System.out.println(">> 50 polite clients: " + paced);
      System.out.println(">> 50 naive ones, again after Retry-After: " + waiting);
      System.out.println(">> 50 naive ones, again at once: " + storming);
      assertThat(paced.used()).isGreaterThan(0.95);
      assertThat(paced.refusedPart()).isLessThan(0.01);
      assertThat(waiting.refusedPart()).isGreaterThan(paced.refusedPart());
    }
  }

  /** A machine that is busy with other things for a second or two may spoil one measurement. */
  private static Result measurePaced(Server server) throws Exception {
    Result result = measure(server, GatewayIntegrationTest::paced, Duration.ofSeconds(15));
    for (int i = 0; i < 2 && (result.used() <= 0.95 || result.refusedPart() >= 0.01); i++) {
      Thread.sleep(1500);
      result = measure(server, GatewayIntegrationTest::paced, Duration.ofSeconds(15));
    }
    return result;
  }

  /** Sends for as long as it may. */
  @FunctionalInterface
  private interface Sender {
    HttpResponse<Void> send(HttpRequest request) throws Exception;
  }

  private static Sender paced(HttpClient http) {
    WeirClient client = WeirClient.builder().http(http).build();
    return request -> client.send(request, BodyHandlers.discarding());
  }

  private static Sender naive(HttpClient http, boolean waits) {
    return request -> {
      HttpResponse<Void> response = http.send(request, BodyHandlers.discarding());
      if (response.statusCode() == 429 && waits) {
        Thread.sleep(1000 * response.headers().firstValueAsLong("Retry-After").orElse(1));
      }
      return response;
    };
  }

  private record Result(long served, long refused, double used) {
    double refusedPart() {
      return (double) refused / Math.max(1, served + refused);
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%d served, %d refused (%.2f %%), %.1f %% of the limit",
          served,
          refused,
          100 * refusedPart(),
          100 * used);
    }
  }

  /** All that was refused counts; of what was served, that after the burst. */
  private static Result measure(
      Server server, java.util.function.Function<HttpClient, Sender> kind, Duration during)
      throws Exception {
    CountingHttpClient http = new CountingHttpClient();
    AtomicBoolean ended = new AtomicBoolean();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < CLIENTS; i++) {
      Sender client = kind.apply(http);
      for (int k = 0; k < 2; k++) {
        Thread thread = new Thread(() -> sendUntil(ended, client, get(server, "/")));
        threads.add(thread);
        thread.start();
      }
    }
    Thread.sleep(1500);
    long before = http.served.sum();
    long start = System.nanoTime();
    Thread.sleep(during.toMillis());
    long served = http.served.sum() - before;
    double seconds = (System.nanoTime() - start) / 1e9;
    ended.set(true);
    for (Thread thread : threads) {
      thread.interrupt();
      thread.join();
    }
    assertThat(http.others.sum()).isZero();
    return new Result(http.served.sum(), http.refused.sum(), served / (LIMIT * seconds));
  }

  private static void sendUntil(AtomicBoolean ended, Sender client, HttpRequest request) {
    try {
      while (!ended.get()) {
        client.send(request);
      }
    } catch (InterruptedException e) {
      // the end
    } catch (Exception e) {
      if (!ended.get()) {
        throw new AssertionError(e);
      }
    }
  }

  private static Server gateway(String rules) {
    return Server.start(
        ServerSettings.DEMO.onFreePorts(),
        RuleFiles.read("rules.yaml", rules.getBytes(UTF_8)).rules().orElseThrow());
  }

  private static HttpRequest get(Server server, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.gatewayPort() + path))
        .build();
  }
}
