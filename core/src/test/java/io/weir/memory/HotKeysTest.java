package io.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.algorithm.Timeline;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The hash is always that of the given key, whatever the table contains. */
class HotKeysTest {
  private final KeyHash keyHash = new KeyHash(1, 2);
  private final HotKeys hot = new HotKeys(keyHash);

  private void assertHash(String key, long dice) {
    assertThat(hash(key, dice)).as(key).isEqualTo(keyHash.of(key));
  }

  private long hash(String key, long dice) {
    HotKey found = hot.find(key, dice);
    return found == null ? hot.hash(key, dice) : found.hash();
  }

  @Test
  void distinguishesKeysWithTheSameHashCode() {
    assertThat("Aa".hashCode()).isEqualTo("BB".hashCode());
    for (int i = 0; i < 10; i++) {
      assertHash("Aa", 0);
      assertHash("BB", 0);
      assertHash(new String("Aa"), 0);
    }
    for (int i = 0; i < 10; i++) {
      assertHash("AaAa", 0);
    }
    for (int i = 0; i < 10; i++) {
      assertHash("BBBB", 0);
      assertHash("AaBB", 0);
    }
  }

  /** Most samples hit, so that the table is used; the rival with the same code is not in it. */
  @Test
  void distinguishesKeysWithTheSameHashCodeWhileInUse() {
    for (int i = 0; i < 500; i++) {
      assertHash("Aa", 0);
    }
    for (long dice = 1; dice < 200; dice++) {
      assertHash("Aa", dice);
      assertHash("BB", dice);
      assertHash(new String("Aa"), dice);
      assertHash("another key", dice);
    }
  }

  @Test
  void distinguishesKeysOfOnePlace() {
    List<String> rivals = new ArrayList<>();
    for (int i = 0; rivals.size() < 4; i++) {
      int code = ("k" + i).hashCode();
      if (((code ^ code >>> 16) & 511) == 7) {
        rivals.add("k" + i);
      }
    }
    Random random = new Random(3);
    for (int i = 0; i < 2000; i++) {
      assertHash(rivals.get(random.nextInt(rivals.size())), i);
    }
  }

  @Test
  void oddKeysAreHashedToo() {
    for (int i = 0; i < 4; i++) {
      assertHash("", 0);
      assertHash("\u0000", 0);
      assertHash("x".repeat(256), 0);
      assertHash("x".repeat(257), 0);
      assertHash("x".repeat(1 << 20), 0);
      assertHash("日本語", i);
    }
  }

  /** A key that comes twice is kept, so a later lookup costs no hash; long keys are not kept. */
  @Test
  void remembersAFewKeysAndNoLongOnes() throws Exception {
    Field field = HotKeys.class.getDeclaredField("entries");
    field.setAccessible(true);
    Object[] entries = (Object[]) field.get(hot);
    for (int i = 0; i < 3; i++) {
      assertHash("y".repeat(257), 0);
      assertHash("once" + i, 0);
      assertHash("unsampled", 0x10);
    }
    assertThat(entries).containsOnlyNulls();
    for (int i = 0; i < 100_000; i++) {
      hash("flood" + i, 0);
      hash("flood" + i, 0);
    }
    assertThat(entries).hasSize(512).doesNotContainNull();
  }

  @Test
  void aPlaceIsForgottenWhenItsPageHasBeenReplaced() {
    WordPage page = new WordPage(8, 6, 0, 0);
    page.put(4711, 5);
    HotKey unplaced = new HotKey("a", "a".hashCode(), 4711);
    TableEngine tableEngine =
        TableEngine.of(
            List.of(Limit.tokenBucket(1).perSecond()),
            List.of(Limit.tokenBucket(1).perSecond()),
            10,
            TableMemory.SHARED,
            new Timeline(0),
            () -> 0,
            null);
    HotKey placed = page.place(unplaced, tableEngine, page.find(4711));
    assertThat(placed.isPlacedBy(tableEngine)).isTrue();
    assertThat(placed.storedWord()).isEqualTo(5);
    assertThat(placed.withoutStalePlace()).isSameAs(placed);
    page.freeze();
    HotKey tidied = placed.withoutStalePlace();
    assertThat(tidied.isPlacedBy(tableEngine)).isFalse();
    assertThat(tidied.storedWord()).isZero();
    assertThat(tidied.hash()).isEqualTo(4711);
  }

  @Test
  void manyThreadsGetTheRightHash() throws Exception {
    int threads = 4;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    CountDownLatch start = new CountDownLatch(1);
    List<Future<Integer>> wrong = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      Random random = new Random(t);
      wrong.add(
          pool.submit(
              () -> {
                start.await();
                int bad = 0;
                for (int i = 0; i < 100_000; i++) {
                  String key = (random.nextBoolean() ? "Aa" : "BB") + random.nextInt(600);
                  bad += hash(key, i) == keyHash.of(key) ? 0 : 1;
                }
                return bad;
              }));
    }
    start.countDown();
    for (Future<Integer> each : wrong) {
      assertThat(each.get()).isZero();
    }
    pool.shutdown();
  }
}
