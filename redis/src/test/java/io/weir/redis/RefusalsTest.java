package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.Origin;
import io.weir.Standing;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What refused callers leave in the heap. */
class RefusalsTest {
  private static final Limit LIMIT = Limit.tokenBucket(1).perHour();
  private static final Plan PLAN = Plan.of("weir:", "rule", List.of(LIMIT));
  private static final Duration LONGEST = Duration.ofSeconds(10);

  private static Decision refused() {
    long hour = Duration.ofHours(1).toNanos();
    Standing standing = Standing.of(LIMIT, 0, hour, hour, hour);
    return Decision.of(1, Duration.ZERO, List.of(standing), 1_790_000_000_000L, Origin.STORE);
  }

  private static void remember(Refusals refusals, String key) {
    refusals.remember(PLAN, key, refusals.ask(PLAN, key), refused(), 1_790_000_000_000_000L);
  }

  @Test
  void remembersRefusalOfLongKey() {
    Refusals refusals = new Refusals(() -> 0, LONGEST, 1024);
    String key = "k".repeat(60_000);
    remember(refusals, key);
    assertThat(refusals.refusal(PLAN, key, 1)).isNotNull();
    assertThat(refusals.refusal(PLAN, key + "x", 1)).isNull();
    refusals.forget(PLAN, key);
    assertThat(refusals.refusal(PLAN, key, 1)).isNull();
  }

  /** Callers choose keys: 65,536 of 1,024 characters took 88 MB. */
  @Test
  void keepsNoKey() throws InterruptedException {
    Refusals refusals = new Refusals(() -> 0, LONGEST, 1024);
    String key = "k".repeat(1000);
    remember(refusals, key);
    WeakReference<String> kept = new WeakReference<>(key);
    key = null;
    for (int i = 0; i < 50 && kept.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    assertThat(kept.get()).isNull();
    assertThat(refusals.refusal(PLAN, "k".repeat(1000), 1)).isNotNull();
  }

  /** One plan's refusal is not another's, and no key is taken for another in a full table. */
  @Test
  void takesNoKeyForAnother() {
    Refusals refusals = new Refusals(() -> 0, LONGEST, 1024);
    for (int i = 0; i < 5000; i++) {
      remember(refusals, "key" + i);
    }
    Plan other = Plan.of("weir:", "other", List.of(LIMIT));
    int known = 0;
    for (int i = 0; i < 5000; i++) {
      known += refusals.refusal(PLAN, "key" + i, 1) == null ? 0 : 1;
      assertThat(refusals.refusal(PLAN, "other" + i, 1)).isNull();
      assertThat(refusals.refusal(other, "key" + i, 1)).isNull();
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
    assertThat(Refusals.places(heap)).isEqualTo(places);
  }
}
