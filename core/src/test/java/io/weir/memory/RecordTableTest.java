package io.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bucket;
import io.weir.algorithm.Timeline;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.LongPredicate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A table of records, beside a map of what each key has spent. */
class RecordTableTest {
  private static final int PERMITS = 40;

  private LongPredicate canDrop = hash -> false;
  private final Map<Long, Long> spent = new HashMap<>();
  private final Random random = new Random(7);

  static Algorithm[] algorithms() {
    Timeline timeline = new Timeline(0);
    return new Algorithm[] {
      Algorithm.of(Limit.slidingLog(PERMITS).perMinute(), timeline),
      Algorithm.of(Limit.slidingLog(PERMITS).per(Limit.MAX_PERIOD), timeline),
      Algorithm.of(Limit.slidingEpochs(PERMITS).perMinute(), timeline),
      Algorithm.of(Limit.tokenBucket(PERMITS).perMinute(), timeline),
    };
  }

  private void take(RecordTable table, long hash, long at, long cost) {
    Algorithm algorithm = table.algorithm();
    long now = algorithm.atMillis(at);
    RecordPage page = table.lock(hash);
    try {
      int slot = page.find(hash);
      if (page.hashAt(slot) == hash) {
        algorithm.take(page.bucketAt(slot), now, now, cost);
      } else {
        Bucket bucket = new Bucket(algorithm.words());
        algorithm.take(bucket, now, now, cost);
        table.insert(page, hash, bucket);
      }
    } finally {
      page.unlock();
    }
    spent.merge(hash, cost, Long::sum);
  }

  private static long left(RecordTable table, long hash, long at) {
    RecordPage page = table.lock(hash);
    try {
      int slot = page.find(hash);
      return page.hashAt(slot) == hash
          ? table.algorithm().remaining(page.bucketAt(slot), table.algorithm().atMillis(at))
          : PERMITS;
    } finally {
      page.unlock();
    }
  }

  private void expectAll(RecordTable table, long at) {
    spent.forEach((hash, cost) -> assertThat(left(table, hash, at)).isEqualTo(PERMITS - cost));
    assertThat(table.keys()).isEqualTo(spent.size());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("algorithms")
  void growsAndKeepsAllKeys(Algorithm algorithm) {
    RecordTable table =
        new RecordTable(
            algorithm,
            (hash, bucket, time, inMillis) -> canDrop.test(hash),
            new TableMemory.Part(TableMemory.SHARED));
    long[] hashes = random.longs(3000).map(Hashes::usable).toArray();
    for (int round = 0; round < 5; round++) {
      for (long hash : hashes) {
        take(table, hash, round, 1 + random.nextInt(8)); // several regions a log, and collections
      }
    }
    assertThat(table.entries()).isBetween(8, 128);
    if (!(algorithm.limit() instanceof Limit.TokenBucket)) {
      expectAll(table, 4);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("algorithms")
  void aSweepDropsWhatCanBeDroppedAndKeepsTheRest(Algorithm algorithm) {
    RecordTable table =
        new RecordTable(
            algorithm,
            (hash, bucket, time, inMillis) -> canDrop.test(hash),
            new TableMemory.Part(TableMemory.SHARED));
    for (int i = 0; i < 3000; i++) {
      take(table, Hashes.usable(random.nextLong()), 0, 1 + i % 4);
    }
    Set<Long> drop = new HashSet<>();
    spent.forEach(
        (hash, cost) -> {
          if (cost % 2 == 0) {
            drop.add(hash);
          }
        });
    for (int i = 0; i < table.entries(); i++) {
      canDrop = hash -> drop.contains(hash);
      table.sweep(i, 0, false);
    }
    spent.keySet().removeAll(drop);
    expectAll(table, 0);
    for (int i = 0; i < table.entries(); i++) {
      canDrop = hash -> true;
      table.sweep(i, 0, false);
    }
    assertThat(table.keys()).isZero();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("algorithms")
  void visitsRetiredKeysOnce(Algorithm algorithm) {
    RecordTable table =
        new RecordTable(
            algorithm,
            (hash, bucket, time, inMillis) -> canDrop.test(hash),
            new TableMemory.Part(TableMemory.SHARED));
    for (int i = 0; i < 2000; i++) {
      take(table, Hashes.usable(random.nextLong()), 0, 1);
    }
    Set<Long> seen = new HashSet<>();
    retireAll(table, hash -> assertThat(seen.add(hash)).isTrue());
    assertThat(seen).isEqualTo(spent.keySet());
    for (int i = 0; i < table.entries(); i++) {
      canDrop = hash -> true;
      table.sweep(i, 0, false);
    }
    assertThat(table.keys()).as("nothing changes any more").isEqualTo(spent.size());
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("algorithms")
  void hashesThatBeginAlikeSplitDeeply(Algorithm algorithm) {
    RecordTable table =
        new RecordTable(
            algorithm,
            (hash, bucket, time, inMillis) -> canDrop.test(hash),
            new TableMemory.Part(TableMemory.SHARED));
    for (int i = 0; i < 600; i++) {
      take(table, 0x7FF0_0000_0000_0000L | random.nextLong() >>> 12, 0, 2);
    }
    expectAll(table, 0);
    assertThat(table.entries()).isGreaterThanOrEqualTo(1 << 12);
  }

  private static void retireAll(RecordTable table, TableEngine.KeyVisitor visitor) {
    PageCursor pageCursor = new PageCursor(1);
    while (!pageCursor.isOver()) {
      table.retireSome(pageCursor, 3, visitor);
    }
  }
}
