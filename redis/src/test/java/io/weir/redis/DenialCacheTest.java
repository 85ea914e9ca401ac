package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Origin;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What refused callers leave in the heap. */
class DenialCacheTest {
  private static final Limit LIMIT = Limit.tokenBucket(1).perHour();
  private static final ScriptPlan PLAN = ScriptPlan.of("weir:", "rule", List.of(LIMIT));
  private static final Duration MAX_AGE = Duration.ofSeconds(10);

  private static Decision refused() {
    long hour = Duration.ofHours(1).toNanos();
    LimitStatus limitStatus = LimitStatus.of(LIMIT, 0, hour, hour, hour);
    return Decision.of(1, Duration.ZERO, List.of(limitStatus), 1_790_000_000_000L, Origin.STORE);
  }

  private static void remember(DenialCache denialCache, String key) {
    denialCache.remember(
        PLAN, key, denialCache.requestTime(PLAN, key), refused(), 1_790_000_000_000_000L);
  }

  @Test
  void remembersRefusalOfLongKey() {
    DenialCache denialCache = new DenialCache(() -> 0, MAX_AGE, 1024);
    String key = "k".repeat(60_000);
    remember(denialCache, key);
    assertThat(denialCache.refusal(PLAN, key, 1)).isNotNull();
    assertThat(denialCache.refusal(PLAN, key + "x", 1)).isNull();
    denialCache.forget(PLAN, key);
    assertThat(denialCache.refusal(PLAN, key, 1)).isNull();
  }

  /** Callers choose keys: 65,536 of 1,024 characters took 88 MB. */
  @Test
  void keepsNoKey() throws InterruptedException {
    DenialCache denialCache = new DenialCache(() -> 0, MAX_AGE, 1024);
    String key = "k".repeat(1000);
    remember(denialCache, key);
    WeakReference<String> kept = new WeakReference<>(key);
    key = null;
    for (int i = 0; i < 50 && kept.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertThat(kept.get()).isNull();
    assertThat(denialCache.refusal(PLAN, "k".repeat(1000), 1)).isNotNull();
  }

  /** One plan's refusal is not another's, and no key is taken for another in a full table. */
  @Test
  void takesNoKeyForAnother() {
    DenialCache denialCache = new DenialCache(() -> 0, MAX_AGE, 1024);
    for (int i = 0; i < 5000; i++) {
      remember(denialCache, "key" + i);
    }
    ScriptPlan other = ScriptPlan.of("weir:", "other", List.of(LIMIT));
    int known = 0;
    for (int i = 0; i < 5000; i++) {
      known += denialCache.refusal(PLAN, "key" + i, 1) == null ? 0 : 1;
      assertThat(denialCache.refusal(PLAN, "other" + i, 1)).isNull();
      assertThat(denialCache.refusal(other, "key" + i, 1)).isNull();
    }
    assertThat(known).isBetween(900, 1024);
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1024",
    "16777216, 1024",
    "67108864, 4096",
    "134217728, 8192",
    "268435456, 16384",
    "1073741824, 65536",
    "9223372036854775807, 65536"
  })
  void hasPlacesAsHeapHasRoom(long heap, int places) {
    assertThat(DenialCache.places(heap)).isEqualTo(places);
  }
}
