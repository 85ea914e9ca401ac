package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.RateLimiter;
import io.weir.Reservation;
import io.weir.rig.Await;
import io.weir.rig.RedisCluster;
import io.weir.rig.RedisProcess;
import io.weir.rig.RedisProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A store that logs in as the user of docs/reference/redis.md: Redis logs no command as denied, and
 * each command of the documented line is one that is sent.
 */
@Tag("slow")
@Timeout(120)
class DocumentedUserTest extends ReplicatedSuite {
  private static final Path PAGE = Path.of("..", "docs", "reference", "redis.md");
  private static final String CREDENTIALS = "limiter:secret@";
  private static final String PATIENT = "?connect_timeout=10s&timeout=10s&refusal_memory=0s";
  private static final int LONG_LOG = 2500; // in bytes: changed in its place, entry by entry

  private final AtomicInteger users = new AtomicInteger();

  private static List<String> page() {
    try {
      return Files.readAllLines(PAGE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String documented() {
    return page().stream()
        .filter(each -> each.startsWith("ACL SETUSER "))
        .findFirst()
        .orElseThrow();
  }

  /** Beyond the documented line, in clusters; "client|setname" is nothing that is needed. */
  private static Stream<String> documentedForClusters() {
    assertThat(String.join("\n", page()))
        .contains(
            "in clusters also `+cluster|slots` and `+asking`; `+client|setname` for the name");
    return Stream.of("+cluster|slots", "+asking", "+client|setname");
  }

  /** What of the user's commands Redis has denied. */
  private static List<?> denied(RedisProcess redis) {
    return (List<?>) redis.call("ACL", "LOG");
  }

  /** Redis 6.2 counts subcommands with their command. */
  private static void assertAllIsCalled(RedisProcess redis, Stream<String> rules) {
    rules
        .filter(rule -> rule.startsWith("+"))
        .map(rule -> rule.substring(1))
        .forEach(
            command ->
                assertThat(redis.calls(command) + redis.calls(command.replaceAll("\\|.*", "")))
                    .as("calls of " + command)
                    .isPositive());
  }

  private static RateLimiter limiter(
      RedisStore store, String name, Limit limit, Consistency consistency) {
    return RateLimiter.builder()
        .name(name)
        .limit(limit)
        .consistency(consistency)
        .onFailure(OnFailure.DENY)
        .store(store)
        .build();
  }

  private static void useAllVerbs(RedisStore store) {
    Duration hour = Duration.ofHours(1);
    List<Limit> limits =
        List.of(
            Limit.tokenBucket(100).per(hour),
            Limit.leakyBucket(100).per(hour).queue(99),
            Limit.fixedWindow(100).per(hour),
            Limit.slidingWindow(100).per(hour),
            Limit.slidingEpochs(100).per(hour).countingRejected(),
            Limit.slidingLog(100).per(hour).countingRejected());
    for (Limit limit : limits) {
      RateLimiter limiter = limiter(store, limit.algorithm(), limit, Consistency.EXACT);
      assertThat(limiter.check("k", 2).origin()).isEqualTo(Origin.STORE);
      assertThat(limiter.peek("k").origin()).isEqualTo(Origin.STORE);
      assertThat(limiter.tryAcquire("k", 99)).isFalse();
      Reservation reservation = limiter.reserve("k", 2, hour);
      reservation.settle(1);
      limiter.refund("k", 100);
      limiter.reset("k");
    }
  }

  private static void useLongLog(RedisStore store, RedisProcess redis) {
    RateLimiter limiter =
        limiter(store, "long", Limit.slidingLog(5000).perHour(), Consistency.EXACT);
    Await.holds(
        "its log is long",
        () -> {
          assertThat(limiter.check("k").origin()).isEqualTo(Origin.STORE);
          return redis.call("STRLEN", "weir:long:g3600000:{k}") instanceof Long length
              && length > LONG_LOG;
        });
    Reservation reservation = limiter.reserve("k", 5, Duration.ZERO);
    limiter.check("k");
    reservation.settle(1);
    limiter.refund("k", 2);
  }

  private void useStrictly(RedisStore store, Consistency consistency) {
    RateLimiter limiter =
        limiter(
            store,
            consistency.toString(),
            Limit.slidingLog(30).per(Duration.ofSeconds(1)),
            consistency);
    Await.holds(
        consistency + " grants", () -> limiter.tryAcquire("user" + users.incrementAndGet()));
  }

  @Test
  void oneServerAndItsReplica() {
    RedisProcess primary = primary();
    replicaOf(primary);
    primary.call(documented().split(" "));
    RedisStore store =
        opened(
            RedisStore.open(
                "redis://" + CREDENTIALS + primary.address() + PATIENT + "&replicas=1"));
    useAllVerbs(store);
    useLongLog(store, primary);
    useStrictly(store, Consistency.STRICT);
    useStrictly(store, Consistency.LEASED);
    RateLimiter eventual =
        limiter(store, "eventual", Limit.slidingLog(30).perHour(), Consistency.EVENTUAL);
    Await.holds(
        "other nodes hear of it",
        () -> {
          eventual.tryAcquire("k");
          return primary.call("EXISTS", "weir:eventual:sum:{k}").equals(1L);
        });
    primary.call("SCRIPT", "FLUSH"); // scripts are sent again
    assertThat(limiter(store, "last", Limit.slidingLog(9).perHour(), Consistency.EXACT).check("k"))
        .matches(decision -> decision.origin() == Origin.STORE);
    store.close();
    RedisStore second =
        opened(RedisStore.open("redis://" + CREDENTIALS + primary.address() + "/1" + PATIENT));
    useAllVerbs(second);
    second.close();
    assertThat(denied(primary))
        .as("denied, but for the name that is not needed")
        .allSatisfy(entry -> assertThat(entry.toString()).contains("client"));
    assertAllIsCalled(primary, Stream.of(documented().split(" ")));
  }

  @Test
  void cluster() {
    try (RedisCluster cluster = RedisCluster.start(RedisProgram.chosen())) {
      for (RedisProcess node : cluster.nodes()) {
        node.call(
            Stream.concat(Stream.of(documented().split(" ")), documentedForClusters())
                .toArray(String[]::new));
      }
      RedisProcess from = cluster.shard(0);
      RedisStore store =
          opened(RedisStore.open("redis-cluster://" + CREDENTIALS + from.address() + PATIENT));
      useAllVerbs(store);
      RateLimiter limiter =
          limiter(store, "moved", Limit.slidingLog(1000).perHour(), Consistency.EXACT);
      int slot = cluster.slot("{" + keyOf(cluster, from) + "}");
      cluster.beginMove(slot, cluster.shard(1));
      Await.holds(
          "it redirects to the node where the slot goes",
          () -> {
            limiter.check(keyOf(cluster, from));
            return cluster.shard(1).calls("asking") > 0;
          });
      store.close();
      for (RedisProcess node : cluster.nodes()) {
        assertThat(denied(node)).as("denied by " + node).isEmpty();
      }
      assertAllIsCalled(from, documentedForClusters().filter(rule -> !rule.equals("+asking")));
    }
  }

  private static String keyOf(RedisCluster cluster, RedisProcess node) {
    for (int i = 0; ; i++) {
      if (cluster.owner(cluster.slot("key" + i)) == node) {
        return "key" + i;
      }
    }
  }
}
