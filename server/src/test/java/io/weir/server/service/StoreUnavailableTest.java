package io.weir.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Await;
import io.weir.rig.FaultyProxy;
import io.weir.rig.RedisProcess;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Costs that are known only when the store is away: nothing is lost in silence, or done twice. */
@Tag("slow")
@Timeout(120)
class StoreUnavailableTest {
  private static final String RULES =
      """
      rules:
        - { name: user, per: user, limit: { algorithm: sliding-log, rate: 1000 per hour } }
        - { name: all, limit: { algorithm: sliding-log, rate: 9000 per hour } }
      """;

  private final RedisProcess redis = RedisProcess.start();
  private final FaultyProxy proxy = new FaultyProxy(redis.port());
  private final Service service = Service.builder(RULES).store(proxy.url() + "?timeout=3s").start();

  @AfterEach
  void close() {
    service.close();
    proxy.close();
    redis.close();
  }

  private boolean isReached() {
    return service.get("/v1/check?user=other&cost=0").body().contains("\"origin\":\"store\"");
  }

  private void slam() {
    proxy.door(FaultyProxy.AcceptMode.SLAMMED);
    proxy.drop();
    Await.holds("the store is away", () -> !isReached());
  }

  private String reserve() {
    Await.holds("the store is reached", this::isReached);
    Service.Reply reserved =
        service.post("/v1/reserve", "{\"attributes\":{\"user\":\"u\"},\"cost\":100}");
    assertThat(reserved.body()).contains("\"origin\":\"store\"");
    return reserved.body().replaceAll(".*\"reservation\":\"([^\"]*)\".*", "$1");
  }

  private Service.Reply settle(String verb, String id, long cost) {
    String body = "{\"reservation\":\"" + id + "\"" + (cost == 0 ? "}" : ",\"cost\":" + cost + "}");
    return service.post("/v1/" + verb, body);
  }

  /** What is left to the user, and to all. */
  private String left() {
    Await.holds("the store is reached", this::isReached);
    return service
        .get("/v1/check?user=u&cost=0")
        .header("RateLimit")
        .replaceAll(".*\"user\";r=(\\d+).*\"all\";r=(\\d+).*", "$1 $2");
  }

  private static void assertUndone(Service.Reply reply) {
    assertThat(reply.status()).isEqualTo(503);
    assertThat(reply.header("Retry-After")).isEqualTo("1");
    assertThat(reply.body())
        .startsWith("{\"error\":\"store_unavailable\",")
        .contains("try again later");
  }

  private static void assertUnknown(Service.Reply reply) {
    assertThat(reply.status()).isEqualTo(503);
    assertThat(reply.header("Retry-After")).isEmpty();
    assertThat(reply.body()).startsWith("{\"error\":\"store_unavailable\",").contains("unknown");
  }

  @ParameterizedTest
  @CsvSource({"commit, 30, 970 8970", "commit, 300, 700 8700", "refund, 0, 1000 9000"})
  void correctionThatDidNotReachTheStoreCanBeRepeated(String verb, long cost, String left) {
    String id = reserve();
    slam();
    assertUndone(settle(verb, id, cost));
    assertUndone(settle(verb, id, cost));
    assertUndone(settle("commit", id, 77)); // nothing was corrected: it may be another cost
    proxy.heal();

    assertThat(left()).isEqualTo("900 8900");
    assertThat(settle(verb, id, cost).status()).isEqualTo(200);
    assertThat(settle(verb, id, cost).body()).contains("reservation_settled");
    assertThat(left()).isEqualTo(left);
  }

  /** A client that retries while the store is still being called must not get success. */
  @Test
  void concurrentSettleMustRetryLater() {
    String id = reserve();
    redis.suspend();
    Executor threads = task -> new Thread(task).start();
    CompletableFuture<Service.Reply> one =
        CompletableFuture.supplyAsync(() -> settle("commit", id, 30), threads);
    CompletableFuture<Service.Reply> two =
        CompletableFuture.supplyAsync(() -> settle("commit", id, 30), threads);
    Service.Reply early = (Service.Reply) CompletableFuture.anyOf(one, two).join();
    assertThat(early.status()).isEqualTo(503);
    assertThat(early.header("Retry-After")).isEqualTo("1");
    assertThat(early.body()).startsWith("{\"error\":\"reservation_being_settled\",");
    CompletableFuture.allOf(one, two).join();
    assertUnknown(one.join() == early ? two.join() : one.join());
    redis.resume();
    assertThat(settle("commit", id, 30).body()).contains("reservation_settled");
    assertThat(left()).isEqualTo("970 8970");
  }

  @ParameterizedTest
  @CsvSource({"commit, 30, 970 8970", "refund, 0, 1000 9000"})
  void settlementWithUnknownResultIsNotRepeated(String verb, long cost, String left) {
    String id = reserve();
    redis.suspend();
    assertUnknown(settle(verb, id, cost));
    redis.resume();
    assertThat(settle(verb, id, cost).body()).contains("reservation_settled");
    assertThat(left()).isEqualTo(left);
  }

  @Test
  void reportsFailedRefundWithoutReservation() {
    reserve();
    String refund = "{\"attributes\":{\"user\":\"u\"},\"cost\":40}";
    slam();
    assertUndone(service.post("/v1/refund", refund));
    proxy.heal();
    assertThat(left()).isEqualTo("900 8900");
    assertThat(service.post("/v1/refund", refund).status()).isEqualTo(200);
    assertThat(left()).isEqualTo("940 8940");

    redis.suspend();
    assertUnknown(service.post("/v1/refund", refund));
    redis.resume();
    assertThat(left()).isEqualTo("980 8980");
  }
}
