package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.RateLimiter;
import io.weir.rig.Await;
import io.weir.rig.SharedRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Threads of several nodes at the same key, by the clocks that there are. */
@Timeout(120)
class ConcurrentLeasesTest {
  private static final int NODES = 3;
  private static final long PERIOD = Duration.ofSeconds(1).toNanos();

  /** So long that no window ends meanwhile. */
  private static final Duration DECADE = Duration.ofDays(3650);

  private final List<RedisStore> stores = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void close() {
    threads.shutdownNow();
    stores.forEach(RedisStore::close);
  }

  private RateLimiter node(Limit limit) {
    RedisStore store =
        RedisStore.open(RedisSuite.patient(SharedRedis.empty().url()).withLeastNodes(NODES));
    stores.add(store);
    return RateLimiter.builder()
        .name("at-once")
        .limit(limit)
        .store(store)
        .onFailure(OnFailure.DENY)
        .consistency(Consistency.LEASED)
        .build();
  }

  /** A time before a grant, and one after it. */
  private record Use(long before, long after) {}

  /**
   * A grant may lie anywhere between its check and its result: only what must lie within counts.
   */
  @Test
  @Tag("slow")
  void noSecondSeesMoreThanTheLimit() throws Exception {
    int limit = 3000;
    List<RateLimiter> nodes = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      nodes.add(node(Limit.slidingLog(limit).perSecond()));
    }
    long start = System.nanoTime();
    BooleanSupplier isEnough =
        () -> {
          long passed = System.nanoTime() - start;
          return passed > 20 * PERIOD || (passed > 3 * PERIOD && leased() > limit / 10);
        };
    List<Callable<List<Use>>> callers = new ArrayList<>();
    for (int i = 0; i < 2 * NODES; i++) {
      RateLimiter node = nodes.get(i % NODES);
      callers.add(() -> check(node, isEnough));
    }
    List<Use> all = new ArrayList<>();
    for (Future<List<Use>> each : threads.invokeAll(callers)) {
      all.addAll(each.get());
    }
    all.sort(Comparator.comparingLong(Use::after));
    for (int last = 0; last < all.size(); last++) {
      long first = all.get(last).after - PERIOD;
      int within = 0;
      for (int i = last; i >= 0 && all.get(i).after > first; i--) {
        within += all.get(i).before > first ? 1 : 0;
      }
      assertThat(within).isLessThanOrEqualTo(limit);
    }
    assertThat(all.size()).as("nor is nothing granted").isGreaterThan(limit / 2);
    assertThat(leased()).isGreaterThan(limit / 10);
  }

  private long leased() {
    return stores.stream().mapToLong(s -> s.status().decisions().get(Origin.LEASE)).sum();
  }

  private static List<Use> check(RateLimiter node, BooleanSupplier isEnough) {
    List<Use> uses = new ArrayList<>();
    while (!isEnough.getAsBoolean()) {
      long before = System.nanoTime();
      if (node.tryAcquire("key")) {
        uses.add(new Use(before, System.nanoTime()));
      } else {
        Thread.onSpinWait();
      }
    }
    return uses;
  }

  /** While no time passes that matters: each permit is granted once, also the last one. */
  @Test
  void allThreadsTogetherGetAllThatIsThereOnce() throws Exception {
    int limit = 20_000;
    RateLimiter node = node(Limit.fixedWindow(limit).per(DECADE));
    List<Callable<Integer>> callers = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      callers.add(
          () -> {
            int granted = 0;
            Decision decision = node.check("key");
            while (decision.allowed()) {
              granted++;
              decision = node.check("key");
            }
            return granted;
          });
    }
    int granted = 0;
    for (Future<Integer> each : threads.invokeAll(callers)) {
      granted += each.get();
    }
    // What one had leased and did not spend, because its time was over, is there again for others.
    Await.holds("what was left is given back", () -> stores.get(0).leaseManager().isQuiet());
    assertThat(granted).isLessThanOrEqualTo(limit);
    assertThat(granted + node.peek("key").remaining()).isEqualTo(limit);
  }

  /** The timer looks after leases by itself, and then rests. */
  @Test
  void unspentPermitsReturnWithoutFurtherCalls() {
    RateLimiter node = node(Limit.fixedWindow(10_000).per(DECADE));
    RateLimiter other = node(Limit.fixedWindow(10_000).per(DECADE));
    int spent = 0;
    while (stores.get(0).status().decisions().get(Origin.LEASE) < 50) {
      assertThat(node.tryAcquire("key")).isTrue();
      spent++;
    }
    assertThat(other.peek("key").remaining()).isLessThanOrEqualTo(10_000 - spent);
    int expected = 10_000 - spent;
    Await.holds("all is back", () -> other.peek("key").remaining() == expected);
  }
}
