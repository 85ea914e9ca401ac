package io.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Buckets;
import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.OnFailure;
import io.weir.Store;
import io.weir.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Made-up keys in any number of tables, with a share of the heap for all of them together. */
class TableMemoryTest {
  private static final long SHARE = 1 << 19;
  private static final Limit BUCKET = Limit.tokenBucket(2).perHour();
  private static final Limit LOG = Limit.slidingLog(200).perHour();

  private final ManualTime time = TimeSource.manual();
  private final TableMemory memory = new TableMemory(SHARE);

  private Store.LimiterSpec blueprint(Limit... limits) {
    List<Limit> all = List.of(limits);
    return new Store.LimiterSpec("rule", all, all, 10_000_000, time, OnFailure.ALLOW);
  }

  private Buckets buckets(Limit... limits) {
    return new MemoryBuckets(blueprint(limits), time, memory);
  }

  static Stream<List<Limit>> limits() {
    return Stream.of(
        List.of(BUCKET),
        List.of(Limit.slidingLog(2).perMinute()),
        List.of(Limit.tokenBucket(2).perMinute(), Limit.slidingLog(5).perMinute()));
  }

  private void flood(Buckets buckets, String prefix) {
    for (int i = 0; i < 30_000; i++) {
      buckets.tryAcquire(prefix + i, 1);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void floodedTablesStayWithinTheShareAndKeepWhatIsSpent(List<Limit> limits) {
    Limit[] each = limits.toArray(Limit[]::new);
    List<Buckets> rules = List.of(buckets(each), buckets(each), buckets(each));
    for (Buckets rule : rules) {
      for (int i = 0; i < 100; i++) {
        assertThat(rule.tryAcquire("honest" + i, 2)).isTrue();
      }
    }
    for (int i = 0; i < 3; i++) {
      flood(rules.get(i), "made-up" + i);
      assertThat(memory.used()).isBetween(SHARE / 2, SHARE + SHARE / 16);
    }
    for (Buckets rule : rules) {
      assertThat(rule.overflowed()).isPositive();
      for (int i = 0; i < 100; i++) {
        assertThat(rule.tryAcquire("honest" + i, 1)).as("honest%d", i).isFalse();
      }
    }
  }

  @Test
  void floodOfOneRuleLeavesRoomForNewKeysOfAnother() {
    flood(buckets(BUCKET), "made-up");
    Buckets other = buckets(BUCKET);
    for (int i = 0; i < 500; i++) {
      assertThat(other.tryAcquire("honest" + i, 2)).isTrue();
    }
    assertThat(other.overflowed()).isZero();
  }

  @Test
  void expiredKeysOfOneRuleGiveWayToNewOnesOfAnother() {
    Buckets flooded = buckets(BUCKET);
    flood(flooded, "made-up");
    time.advance(Duration.ofHours(2));
    Buckets other = buckets(BUCKET);
    for (int i = 0; i < 1000; i++) {
      time.advance(Duration.ofMillis(1));
      other.tryAcquire("steady", 1);
    }
    assertThat(memory.used())
        .as("down to where memory is scarce")
        .isLessThan(SHARE / 2 + SHARE / 8);
    for (int i = 0; i < 5000; i++) {
      assertThat(other.tryAcquire("later" + i, 2)).isTrue();
    }
    assertThat(other.overflowed()).isZero();
  }

  @Test
  void logsOfKnownKeysStopGrowingWhenTheShareIsUsedUp() {
    Buckets logs = buckets(LOG);
    flood(logs, "made-up");
    long atFlood = memory.used();
    for (int round = 0; round < 30; round++) {
      time.advance(Duration.ofMillis(10));
      for (int i = 0; i < 2000; i++) {
        assertThat(logs.tryAcquire("made-up" + i, 1)).isTrue();
      }
    }
    assertThat(memory.used()).as("after %d", atFlood).isLessThan(SHARE + SHARE / 8);
    int more = 0;
    for (int i = 0; i < 200; i++) {
      more += logs.tryAcquire("made-up0", 1) ? 1 : 0;
    }
    assertThat(more).as("31 of 200 were spent").isEqualTo(169);
    time.advance(Duration.ofMinutes(59));
    assertThat(logs.tryAcquire("made-up0", 1)).as("nothing comes back early").isFalse();
    time.advance(Duration.ofMinutes(2));
    assertThat(logs.tryAcquire("made-up0", 1)).isTrue();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void changeOfLimitsMovesAFloodedTablePageByPage(List<Limit> limits) {
    Limit[] each = limits.toArray(Limit[]::new);
    Buckets rule = buckets(each);
    assertThat(rule.tryAcquire("honest", 2)).isTrue();
    flood(rule, "made-up");
    long before = memory.used();
    Limit[] changed = {Limit.tokenBucket(1).perMinute(), Limit.fixedWindow(1).perHour()};
    rule.reconfigure(blueprint(each[0], changed[1])).run();
    assertThat(memory.used()).isLessThan(3 * before);
    assertThat(rule.tryAcquire("honest", 2)).isFalse();
    rule.reconfigure(blueprint(changed)).run();
    assertThat(memory.used()).as("given back").isLessThan(before + before / 2);
  }

  @Test
  void releasesMemoryOfUnusedTable() {
    flood(buckets(BUCKET), "made-up");
    assertThat(memory.used()).isGreaterThan(SHARE / 2);
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (memory.used() > SHARE / 2 && System.nanoTime() < end) {
      System.gc();
      memory.next();
    }
    assertThat(memory.used()).isLessThan(SHARE / 100);
  }
}
