package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.RateLimiter;
import io.weir.Reservation;
import io.weir.Store;
import io.weir.TimeSource;
import io.weir.rig.RedisProcess;
import io.weir.rig.SharedRedis;
import io.weir.tck.model.ObservedDecision;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Logs of many entries, which are changed in place, decide like those in memory. */
@Tag("slow")
class LongLogTest {
  private final RedisProcess redis = SharedRedis.empty();
  private final ManualTime time = TimeSource.manual();

  private RateLimiter limiter(Store store, Limit limit) {
    time.setNanos(1_790_000_000_000_000_000L);
    return RateLimiter.builder().store(store).time(time).name("long").limit(limit).build();
  }

  @Test
  void manyEntriesDecideLikeThoseInMemory() {
    for (boolean countRejected : new boolean[] {false, true}) {
      Limit limit = new Limit.SlidingLog(3000, Duration.ofSeconds(9), countRejected);
      redis.flush();
      try (Store store = new ScriptPlanStore(redis.connect())) {
        compare(limiter(store, limit), limiter(Store.memory(), limit), countRejected);
      }
    }
  }

  private void compare(RateLimiter inRedis, RateLimiter inMemory, boolean countRejected) {
    SplittableRandom random = new SplittableRandom(7);
    List<Reservation[]> places = new ArrayList<>();
    for (int step = 0; step < 12_000; step++) {
      String when = "step " + step + (countRejected ? ", counting rejected" : "");
      boolean isFilling = step % 4000 < 2500;
      time.setNanos(
          time.epochNanos()
              + random.nextLong(isFilling ? 4_000 : 12_000) * 1000
              + (random.nextInt(2000) == 0 ? 8_000_000_000L : 0));
      switch (random.nextInt(40)) {
        case 0 -> {
          long permits = random.nextLong(1, 30);
          inRedis.refund("key", permits);
          inMemory.refund("key", permits);
        }
        case 1, 2, 3 -> {
          Duration maxWait = Duration.ofMillis(random.nextLong(3000));
          long cost = random.nextLong(1, 5);
          Reservation[] both = {
            inRedis.reserve("key", cost, maxWait), inMemory.reserve("key", cost, maxWait)
          };
          assertSame(both[0].decision(), both[1].decision(), when);
          places.add(both);
        }
        case 4, 5 -> {
          if (!places.isEmpty()) {
            Reservation[] both = places.remove(random.nextInt(places.size()));
            long actual = random.nextLong(4);
            both[0].settle(actual);
            both[1].settle(actual);
          }
        }
        case 6 -> {
          long cost = random.nextLong(1, 3001);
          assertSame(inRedis.peek("key", cost), inMemory.peek("key", cost), when);
        }
        default -> {
          long cost = random.nextInt(10) == 0 ? random.nextLong(1, 50) : 1;
          assertSame(inRedis.check("key", cost), inMemory.check("key", cost), when);
        }
      }
    }
  }

  private static void assertSame(Decision inRedis, Decision inMemory, String when) {
    assertThat(ObservedDecision.of(inRedis)).as(when).isEqualTo(ObservedDecision.of(inMemory));
  }

  /** However long the log, a check reads and writes little; and what is over makes room. */
  @Test
  void aLogOfManyEntriesIsNeverReadAsAWhole() {
    Limit limit = Limit.slidingLog(1_000_000).per(Duration.ofSeconds(40));
    try (ScriptedBuckets log = new ScriptedBuckets(redis, limit)) {
      long now = 1_790_000_000_000L;
      for (int i = 0; i < 30_000; i++) {
        log.send(log.scriptPlan().take(1, 1, now++ * 1000));
      }
      int entries = log.value().length;
      assertThat(entries).isBetween(30_000 * 7, 30_000 * 8);
      long calls = redis.calls("getrange") + redis.calls("setrange");
      for (int i = 0; i < 100; i++) {
        log.send(log.scriptPlan().take(1, 1, now * 1000));
        log.peek(now, 990_000);
      }
      assertThat(redis.calls("getrange") + redis.calls("setrange") - calls).isLessThan(200 * 60);
      for (int i = 0; i < 45_000; i++) {
        log.send(log.scriptPlan().take(1, 1, (now += 10) * 1000));
      }
      assertThat(log.value().length).isLessThan(4 * 4000 * 7);
    }
  }
}
