package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Floods of made-up keys that exceed a small heap. They must not change the responses to honest
 * clients.
 *
 * <p>Made-up keys take 13 seconds of processor time, which a busy machine may not have in four
 * minutes. So the limit is longer than that of other tests, and each response has its own.
 */
@Tag("slow")
@Timeout(600)
class FloodTest {
  /** Each key of the first three takes several hundred bytes, so that a flood need not be long. */
  private static final String RULES =
      """
      attributes:
        api_key: { header: X-API-Key }
      rules:
        - { name: user, per: user, limits: [ 1000 per 1h, { algorithm: sliding-log, rate: 1000 per 2h }, { algorithm: fixed-window, rate: 1000 per 1d } ] }
        - { name: tenant, per: [user, address], limits: [ 1000 per 1h, { algorithm: sliding-log, rate: 1000 per 2h }, { algorithm: fixed-window, rate: 1000 per 1d } ] }
        - { name: key, per: api_key, limits: [ 1000 per 1h, { algorithm: sliding-log, rate: 1000 per 2h }, { algorithm: fixed-window, rate: 1000 per 1d } ] }
        - { name: few, per: api_key, limit: 3 per 1h }
        - { name: address, per: address, limit: 10 per 1h }
      """;

  private static final int HONEST = 50;
  private static final int SPENT = 10;
  private static final int AT_ONCE = 16;
  private static final int IN_A_LIST = 500;

  /** Of one response. A busy machine takes long for all of them, but not for one. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir Path dir;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private ServeProcess serve(int megabytes) throws Exception {
    return serve(megabytes, "memory");
  }

  private ServeProcess serve(int megabytes, String store) throws Exception {
    Path rules = Files.writeString(dir.resolve("rules.yaml"), RULES);
    return ServeProcess.ready(
        new ServeProcess(
            List.of("-Xmx" + megabytes + "m"),
            Main.class,
            Map.of(),
            "--rules",
            rules.toString(),
            "--store",
            store,
            "--drain",
            "1s"));
  }

  private static String checkBody(String user, String address, int cost) {
    return "{\"attributes\":{\"user\":\"%s\",\"address\":\"%s\"},\"cost\":%d}"
        .formatted(user, address, cost);
  }

  private int check(ServeProcess serve, String user, String address, int cost) throws Exception {
    return client
        .send(
            post(serve.service(), checkBody(user, address, cost)),
            HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  /** A response that never comes fails the test by itself, not by the limit of the whole test. */
  private static HttpRequest.Builder to(URI page) {
    return HttpRequest.newBuilder(page).timeout(PATIENCE);
  }

  private static HttpRequest post(URI service, String body) {
    return to(service.resolve("/v1/check"))
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  private static HttpRequest get(URI gateway, String key) {
    return to(gateway.resolve("/")).header("X-API-Key", key).build();
  }

  /** Sends requests, some at a time, and waits for all responses. */
  private void send(int requests, IntFunction<HttpRequest> request) throws Exception {
    send(requests, AT_ONCE, request);
  }

  private void send(int requests, int atOnce, IntFunction<HttpRequest> request) throws Exception {
    Semaphore places = new Semaphore(atOnce);
    List<CompletableFuture<?>> all = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      places.acquire();
      all.add(
          client
              .sendAsync(request.apply(i), HttpResponse.BodyHandlers.discarding())
              .whenComplete((response, failure) -> places.release()));
    }
    CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).join();
  }

  /** Sends checks for many made-up users of one network. */
  private void floodService(ServeProcess serve, int from, int lists) throws Exception {
    send(
        lists,
        each -> {
          int list = from + each;
          StringBuilder body = new StringBuilder("[");
          for (int i = 0; i < IN_A_LIST; i++) {
            int number = list * IN_A_LIST + i;
            String address = "2001:db8:1:%x::%x".formatted(number & 0xFFFF, number >> 16);
            body.append(i == 0 ? "" : ",").append(checkBody("made-up-" + number, address, 1));
          }
          return post(serve.service(), body.append(']').toString());
        });
  }

  private void floodGateway(ServeProcess serve, int from, int requests) throws Exception {
    send(requests, i -> get(serve.gateway(), "made-up-key-" + (from + i)));
  }

  /** Exhausted keys stay refused: a key with lost state would be allowed. */
  private void staySpent(ServeProcess serve, String when) throws Exception {
    for (int i = 0; i < SPENT; i++) {
      assertThat(status(get(serve.gateway(), "spent-" + i)))
          .as("spent-%d %s", i, when)
          .isEqualTo(429);
    }
  }

  private int status(HttpRequest request) throws Exception {
    return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  /** Honest clients come before the flood and after it, and new ones after it. */
  private void survives(int megabytes, int lists, int requests) throws Exception {
    try (ServeProcess serve = serve(megabytes)) {
      for (int i = 0; i < HONEST; i++) {
        String address = "192.0." + i + ".1";
        assertThat(check(serve, "honest-" + i, address, 10)).isEqualTo(200);
        assertThat(status(get(serve.gateway(), "honest-" + i))).isEqualTo(200);
      }
      for (int i = 0; i < SPENT; i++) {
        for (int permit = 0; permit < 3; permit++) {
          assertThat(status(get(serve.gateway(), "spent-" + i))).isEqualTo(200);
        }
      }
      staySpent(serve, "before the flood");
      floodService(serve, 0, lists / 2);
      staySpent(serve, "in the middle of the flood of the service");
      floodService(serve, lists / 2, lists - lists / 2);
      staySpent(serve, "behind the flood of the service");
      floodGateway(serve, 0, requests / 2);
      staySpent(serve, "in the middle of the flood of the gateway");
      floodGateway(serve, requests / 2, requests - requests / 2);
      staySpent(serve, "behind the flood of the gateway");
      assertThat(serve.isAlive()).as(serve.err()).isTrue();

      int newcomers = 0;
      for (int i = 0; i < HONEST; i++) {
        assertThat(check(serve, "honest-" + i, "192.0." + i + ".1", 1))
            .as("%d has spent what its address has", i)
            .isEqualTo(429);
        assertThat(status(get(serve.gateway(), "honest-" + i))).isEqualTo(200);
        newcomers += check(serve, "new-" + i, "203.0." + i + ".1", 1) == 200 ? 1 : 0;
      }
      assertThat(newcomers)
          .as("most new clients of %d are let in", HONEST)
          .isGreaterThan(HONEST / 2);
      String metrics = serve.get(serve.admin().resolve("/metrics")).body();
      assertThat(metrics).containsPattern("weir_overflow_total\\{rule=\"user\"} [1-9]");
      assertThat(serve.err()).doesNotContain("OutOfMemory");
    }
  }

  @Test
  void madeUpKeysDoNotExhaustASmallHeap() throws Exception {
    survives(64, 300, 2000);
  }

  @Tag("soak")
  @ParameterizedTest
  @ValueSource(ints = {64, 128, 256})
  void longFloodsDoNotExhaustASmallHeap(int megabytes) throws Exception {
    survives(megabytes, 4000, 100_000);
  }

  /** Long keys that Redis refuses; the refusals are cached locally for some time. */
  @Tag("soak")
  @Test
  void refusalsOfLongKeysDoNotExhaustASmallHeap() throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        ServeProcess serve = serve(128, redis.url() + "?timeout=5s")) {
      assertThat(check(serve, "honest", "192.0.2.1", 10)).isEqualTo(200);
      String tail = "\u20ac".repeat(1000); // two bytes each, in the heap
      for (int cost : new int[] {10, 1}) { // all is spent, then each is refused
        send(
            1000,
            4,
            list -> {
              StringBuilder body = new StringBuilder("[");
              for (int i = 0; i < 30; i++) {
                String address = "a" + (list * 30 + i) + tail;
                body.append(i == 0 ? "" : ",")
                    .append("{\"attributes\":{\"address\":\"" + address + "\"},")
                    .append("\"cost\":" + cost + "}");
              }
              return post(serve.service(), body.append(']').toString());
            });
      }
      assertThat(check(serve, "honest", "192.0.2.1", 1)).isEqualTo(429);
      assertThat(check(serve, "another", "192.0.2.2", 1)).isEqualTo(200);
      assertThat(serve.isAlive()).isTrue();
      assertThat(serve.err()).doesNotContain("OutOfMemory");
    }
  }

  /** Long keys in lists: each is a call to Redis, and all calls of a list are made at once. */
  @Test
  void listsOfLongKeysDoNotExhaustASmallHeap() throws Exception {
    longKeysInLists(150);
  }

  /** The same for longer. */
  @Tag("soak")
  @Test
  void manyListsOfLongKeysDoNotExhaustASmallHeap() throws Exception {
    longKeysInLists(2000);
  }

  private void longKeysInLists(int lists) throws Exception {
    try (RedisProcess redis = RedisProcess.start();
        ServeProcess serve = serve(64, redis.url() + "?timeout=5s")) {
      assertThat(check(serve, "honest", "192.0.2.1", 10)).isEqualTo(200);
      String tail = "x".repeat(2000);
      for (int part = 0; part < 5; part++) {
        int from = part * (lists / 5);
        send(
            lists / 5,
            AT_ONCE,
            list -> {
              StringBuilder body = new StringBuilder("[");
              for (int i = 0; i < 400; i++) {
                String user = (from + list) * 400 + i + tail;
                body.append(i == 0 ? "" : ",").append(checkBody(user, "a" + i, 1));
              }
              return post(serve.service(), body.append(']').toString());
            });
        // Either may be decided by on_failure, if Redis is late.
        assertThat(check(serve, "honest", "192.0.2.1", 1)).isIn(200, 429);
        assertThat(check(serve, "another-" + part, "192.0.3." + part, 1)).isEqualTo(200);
      }
      Await.holds("Redis decides", () -> check(serve, "honest", "192.0.2.1", 1) == 429);
      assertThat(serve.isAlive()).as(serve.err()).isTrue();
      assertThat(serve.err()).doesNotContain("OutOfMemory");
    }
  }

  /** Long keys in reservations, which keep them until they are settled. */
  @Test
  void reservationsOfLongKeysDoNotExhaustASmallHeap() throws Exception {
    try (ServeProcess serve = serve(64)) {
      String key = "x".repeat(60_000);
      send(
          1500,
          i ->
              to(serve.service().resolve("/v1/reserve"))
                  .header("Content-Type", "application/json")
                  .POST(
                      HttpRequest.BodyPublishers.ofString(
                          "{\"attributes\":{\"user\":\"" + i + key + "\"},\"cost\":1}"))
                  .build());
      assertThat(check(serve, "honest", "192.0.2.1", 1)).isEqualTo(200);
      HttpRequest another =
          to(serve.service().resolve("/v1/reserve"))
              .header("Content-Type", "application/json")
              .POST(
                  HttpRequest.BodyPublishers.ofString(
                      "{\"attributes\":{\"user\":\"more" + key + "\"},\"cost\":1}"))
              .build();
      HttpResponse<String> refused = client.send(another, HttpResponse.BodyHandlers.ofString());
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.body()).contains("too_many_reservations");
      assertThat(serve.isAlive()).isTrue();
    }
  }
}
