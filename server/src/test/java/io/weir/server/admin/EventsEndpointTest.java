package io.weir.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.weir.decision.RuleChange;
import io.weir.rig.Await;
import io.weir.rules.Problem;
import io.weir.rules.RuleSet;
import io.weir.rules.SourceLocation;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Event streams receive what happens. */
class EventsEndpointTest {
  private static final String RULES =
      "rules: [ { name: user, per: user, limit: 2 per hour }, { name: b, limit: 9 per hour } ]";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Admin admin = new Admin(RULES);

  @AfterEach
  void close() {
    admin.close();
  }

  @Test
  void sendsAnEventEachSecond() throws Exception {
    admin.decide(Map.of("user", "a"));
    try (EventStreamClient eventStreamClient = new EventStreamClient(admin.port())) {
      assertThat(eventStreamClient.head)
          .startsWith("HTTP/1.1 200 ")
          .containsIgnoringCase("content-type: text/event-stream\n")
          .containsIgnoringCase("cache-control: no-store\n");
      assertThat(eventStreamClient.next("store").toString())
          .isEqualTo(
              "{\"state\":\"ok\",\"since\":1790000000000,\"minute\":{\"calls\":0,\"errors\":0,"
                  + "\"fallback\":0},\"rules\":[],\"outage\":null}");
      for (int i = 0; i < 4; i++) {
        admin.decide(Map.of("user", "a"));
      }
      admin.time.advance(Duration.ofSeconds(1));
      long sum = 0;
      JsonNode tick;
      do {
        tick = eventStreamClient.next("tick");
        sum += tick.at("/outcomes/denied").asLong();
      } while (tick.get("time").asLong() < 1_790_000_001_000L);
      assertThat(sum).isEqualTo(3);
      assertThat(tick.get("rules").get(0).get("rule").asText()).isEqualTo("user");
      assertThat(tick.get("rules").get(0).get("denied").asLong()).isEqualTo(3);
      assertThat(tick.get("store").asText()).isEqualTo("ok");
      assertThat(tick.get("sampling").asLong()).isEqualTo(1);
      admin.time.advance(Duration.ofSeconds(1));
      assertThat(eventStreamClient.next("tick").get("rules")).isEmpty();
    }
  }

  @Test
  void sendsChangesAtOnce() throws Exception {
    try (EventStreamClient eventStreamClient = new EventStreamClient(admin.port())) {
      eventStreamClient.next("store");
      RuleSet after = Admin.rules(RULES.replace("2 per", "3 per"));
      admin
          .activityHistory
          .changes()
          .reloaded(RuleChange.between(admin.decisionEngine.rules(), after));
      JsonNode change = eventStreamClient.next("change");
      assertThat(change.get("summary").asText()).isEqualTo("2 rules; changed 'user'");
      assertThat(change.get("result").asText()).isEqualTo("success");
    }
  }

  @Test
  void limitsEventStreamsAndReusesFreedOnes() throws Exception {
    List<EventStreamClient> all = new ArrayList<>();
    for (int i = 0; i < Admin.LISTENERS; i++) {
      all.add(new EventStreamClient(admin.port()));
    }
    assertThat(admin.send("GET /v1/events"))
        .startsWith("HTTP/1.1 503 ")
        .containsIgnoringCase("retry-after: 1")
        .contains("too_many_listeners");
    assertThat(admin.send("HEAD /v1/events")).startsWith("HTTP/1.1 200 ");
    all.get(1).close();
    Await.holds(
        "there is capacity",
        () -> {
          try (EventStreamClient another = new EventStreamClient(admin.port())) {
            return another.head.startsWith("HTTP/1.1 200 ");
          }
        });
    for (EventStreamClient each : all) {
      each.close();
    }
  }

  @Test
  void requiresTheToken() throws Exception {
    try (Admin guarded = new Admin(RULES, "memory", Optional.of("s3cret"));
        EventStreamClient stranger = new EventStreamClient(guarded.port());
        EventStreamClient friend =
            new EventStreamClient(guarded.port(), "Authorization: Bearer s3cret\r\n")) {
      assertThat(stranger.head).startsWith("HTTP/1.1 401 ");
      assertThat(friend.head).startsWith("HTTP/1.1 200 ");
    }
  }

  /** The events are larger in the end than all buffers between the two can hold. */
  @Test
  void dropsStreamThatIsNotReadAndServesOthers() throws Exception {
    try (EventStreamClient deaf = new EventStreamClient(admin.port());
        EventStreamClient good = new EventStreamClient(admin.port(), "Connection: close\r\n")) {
      Await.holds("both listen", () -> admin.api.listeners() == 2);
      AtomicLong messages = new AtomicLong();
      Thread reader = new Thread(() -> count(good, messages));
      reader.start();
      List<Problem> many =
          Collections.nCopies(20, Problem.error(SourceLocation.NOWHERE, "x".repeat(1900)));
      long received = 0;
      while (admin.api.listeners() == 2) {
        assertThat(received).as("no event is dropped").isLessThan(5_000);
        admin.activityHistory.changes().rejected(many);
        received++;
        long few = received - 3;
        Await.holds("it is heard", () -> messages.get() >= few);
      }
      long all = received;
      Await.holds("all is heard", () -> messages.get() == all);
      assertThat(deaf.socket.isConnected()).isTrue();
      assertThat(admin.api.listeners()).isEqualTo(1);
      admin.api.close();
      reader.join(60_000);
    }
  }

  private static void count(EventStreamClient eventStreamClient, AtomicLong messages) {
    eventStreamClient
        .in
        .lines()
        .filter("event: change"::equals)
        .forEach(any -> messages.incrementAndGet());
  }

  @Test
  void sendsEventsOverHttp2() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      HttpClient client =
          vertx.createHttpClient(
              new HttpClientOptions()
                  .setProtocolVersion(HttpVersion.HTTP_2)
                  .setHttp2ClearTextUpgrade(false));
      StringBuffer messages = new StringBuffer();
      CompletableFuture<Void> ended = new CompletableFuture<>();
      HttpClientResponse response =
          client
              .request(HttpMethod.GET, admin.port(), "localhost", "/v1/events")
              .compose(request -> request.send())
              .onSuccess(
                  stream ->
                      stream
                          .handler(part -> messages.append(part.toString(UTF_8)))
                          .endHandler(end -> ended.complete(null)))
              .toCompletionStage()
              .toCompletableFuture()
              .get(1, TimeUnit.MINUTES);
      assertThat(response.version()).isEqualTo(HttpVersion.HTTP_2);
      Await.holds("it begins", () -> messages.toString().contains("event: store\n"));
      admin.decide(Map.of("user", "a"));
      admin.time.advance(Duration.ofSeconds(1));
      Await.holds("it is sent", () -> messages.toString().contains("\"time\":1790000001000,"));
      admin.api.close();
      ended.get(1, TimeUnit.MINUTES);
    } finally {
      vertx.close().toCompletionStage().toCompletableFuture().get(1, TimeUnit.MINUTES);
    }
  }

  /** Stopping does not wait for streams that would stay open. */
  @Test
  void listenersDoNotHoldUpTheEnd() throws Exception {
    ServerSettings serverSettings =
        ServerSettings.DEMO.onFreePorts().toBuilder().drain(Duration.ofMinutes(5)).build();
    Server server = Server.start(serverSettings, Admin.rules(RULES));
    try (EventStreamClient eventStreamClient = new EventStreamClient(server.adminPort())) {
      eventStreamClient.next("tick");
      CompletableFuture<Void> drained = CompletableFuture.runAsync(server::drain);
      drained.get(1, TimeUnit.MINUTES);
      assertThat(eventStreamClient.rest()).as("it ends as it should").endsWith("\n0\n");
    } finally {
      server.close();
    }
  }
}
