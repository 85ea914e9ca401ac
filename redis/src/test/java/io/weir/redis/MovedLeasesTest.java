package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.rig.RedisProcess;
import io.weir.rig.SharedRedis;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Logs of which permits are leased, by the scripts alone: waiting requests are charged at once, a
 * lease at its end, and spent permits at the time of their use, in whatever order that is reported.
 * A map of ticks and permits knows what must be left.
 */
class MovedLeasesTest {
  private static final long PERIOD = 10_000;
  private static final long LEASE = 300;
  private static final int SHARES = 2;

  private final SplittableRandom random = new SplittableRandom(7);
  private final TreeMap<Long, Long> model = new TreeMap<>();
  private final Deque<Held> leases = new ArrayDeque<>();
  private long now = ScriptsTest.T;

  /** A lease that is not closed. */
  private record Held(ChargeMarks chargeMarks, long permits, long sent) {}

  @ParameterizedTest
  @CsvSource({"40, 400", "300, 40", "4000, 5"}) // the last one is longer than a page
  void isWhatAMapOfTicksWouldBe(long capacity, int pause) {
    Limit limit = Limit.slidingLog(capacity).per(Duration.ofMillis(PERIOD));
    int closed = 0;
    int refused = 0;
    ScriptPlan scriptPlan = ScriptPlan.leased("test", "moved", List.of(limit));
    assertThat(scriptPlan.isMoved()).isTrue();
    try (ScriptedBuckets bucket = new ScriptedBuckets(SharedRedis.empty(), scriptPlan)) {
      for (int step = 0; step < 4000; step++) {
        now += random.nextInt(pause);
        model.headMap(now - PERIOD, true).clear();
        LeaseClosing leaseClosing = null;
        if (random.nextInt(3) > 0 && !leases.isEmpty()) {
          leaseClosing = close(leases.poll());
          closed++;
        }
        if (random.nextInt(4) > 0) {
          refused += lease(bucket, capacity, leaseClosing) ? 0 : 1;
        } else if (leaseClosing != null) {
          long[] reply = bucket.send(scriptPlan.close(leaseClosing, now * 1000));
          assertThat(scriptPlan.outcome(0, reply).decision(0).remaining())
              .isEqualTo(capacity - sum());
        }
        if (leaseClosing != null) {
          leaseClosing.done(now * 1000);
        }
        assertThat(bucket.peek(now, 1).remaining()).as("step %d", step).isEqualTo(capacity - sum());
      }
      assertThat(closed).isGreaterThan(100);
      assertThat(refused).isGreaterThan(capacity > 1000 ? -1 : 20);
      now += PERIOD + LEASE;
      assertThat(bucket.take(now, capacity).allowed()).as("all is over").isTrue();
    }
  }

  /** What was spent stays where it was charged, but what is left comes back. */
  @Test
  void theRestIsGivenBackAlsoToALeaseThatIsFarBack() {
    ScriptPlan scriptPlan =
        ScriptPlan.leased(
            "test", "moved", List.of(Limit.slidingLog(4000).per(Duration.ofMillis(PERIOD))));
    try (ScriptedBuckets bucket = new ScriptedBuckets(SharedRedis.empty(), scriptPlan)) {
      ScriptMessage lease = scriptPlan.lease(1, 1, 9, SHARES, LEASE * 1000, null, now * 1000);
      TakeReply takeReply = scriptPlan.leased(1, 1, 9, bucket.send(lease));
      assertThat(takeReply.granted()).isEqualTo(10);
      now += LEASE;
      for (int i = 0; i < 600; i++) {
        bucket.take(++now, 1);
      }
      LeaseClosing leaseClosing =
          new LeaseClosing(takeReply.marks(9), 6, new long[] {3}, new long[] {LEASE * 2_000_000});
      bucket.send(scriptPlan.lease(1, 1, 0, SHARES, LEASE * 1000, leaseClosing, now * 1000));
      assertThat(bucket.peek(now, 1).remaining()).isEqualTo(4000 - 1 - 3 - 601);
      assertThat(bucket.peek(now + PERIOD, 1).remaining()).isEqualTo(4000);
    }
  }

  /** A limit was lowered meanwhile, and what does not fit was forgotten: not what was used. */
  @Test
  void whatWasSpentIsNotGivenBackForTheRest() {
    Duration period = Duration.ofMillis(PERIOD);
    ScriptPlan high =
        ScriptPlan.leased("test", "moved", List.of(Limit.slidingLog(100).per(period)));
    ScriptPlan low = ScriptPlan.leased("test", "moved", List.of(Limit.slidingLog(5).per(period)));
    RedisProcess redis = SharedRedis.empty();
    try (ScriptedBuckets before = new ScriptedBuckets(redis, high);
        ScriptedBuckets after = new ScriptedBuckets(redis, low)) {
      before.take(now, 40);
      ScriptMessage lease = high.lease(1, 1, 20, 1, LEASE * 1000, null, now * 1000);
      TakeReply takeReply = high.leased(1, 1, 20, before.send(lease));
      assertThat(takeReply.granted()).isEqualTo(21);
      after.take(now + 1, 1); // cuts the log to the new limit
      LeaseClosing leaseClosing =
          new LeaseClosing(takeReply.marks(20), 15, new long[] {5}, new long[] {0});
      before.send(high.close(leaseClosing, (now + 2) * 1000));
      assertThat(after.peek(now + 3, 1).remaining()).isZero();
    }
  }

  private long sum() {
    return model.values().stream().mapToLong(permits -> permits).sum();
  }

  private boolean lease(ScriptedBuckets bucket, long capacity, LeaseClosing leaseClosing) {
    int own = 1 + random.nextInt(2);
    int more = random.nextInt(8);
    long[] reply =
        bucket.send(
            bucket
                .scriptPlan()
                .lease(1, own, more, SHARES, LEASE * 1000, leaseClosing, now * 1000));
    TakeReply takeReply = bucket.scriptPlan().leased(1, own, more, reply);
    long free = capacity - sum();
    long granted = Math.min(own, free);
    long leased = Math.min(more, (free - granted) / SHARES);
    leased = leased < 2 ? 0 : leased;
    assertThat(takeReply.granted()).isEqualTo(granted + leased);
    if (granted > 0) {
      model.merge(now, granted, Long::sum);
    }
    if (leased > 0) {
      model.merge(now + LEASE, leased, Long::sum);
      leases.add(new Held(takeReply.marks(takeReply.granted() - 1), leased, now));
    }
    if (granted > 0 && random.nextInt(5) == 0) {
      bucket.send(bucket.scriptPlan().settle(takeReply.marks(0), 1, 0, now * 1000));
      model.merge(now, -1L, Long::sum);
    }
    return granted > 0;
  }

  /** Spends some of it, at two moments, and gives back the rest. */
  private LeaseClosing close(Held held) {
    long first = random.nextLong(held.permits + 1);
    long second = random.nextLong(held.permits - first + 1);
    long early = random.nextLong(now - held.sent + 1);
    long late = random.nextLong(early + 1);
    long end = held.sent + LEASE;
    if (model.containsKey(end)) {
      model.merge(end, -held.permits, Long::sum);
      put(Math.min(end, now - agreed(early)), first);
      put(Math.min(end, now - agreed(late)), second);
    }
    return new LeaseClosing(
        held.chargeMarks,
        held.permits - first - second,
        new long[] {first, second},
        new long[] {early * 1_000_000, late * 1_000_000});
  }

  /** In milliseconds, less what clocks may differ by, rounded down. */
  private static long agreed(long age) {
    long micros = Math.max(0, age * 1000 - age - 1000);
    return micros / 1000;
  }

  private void put(long tick, long permits) {
    if (permits > 0 && tick > now - PERIOD) {
      model.merge(tick, permits, Long::sum);
    }
  }
}
