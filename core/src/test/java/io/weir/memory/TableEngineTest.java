package io.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.algorithm.Timeline;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A change of limits, stopped in the middle. */
class TableEngineTest {
  private static final Moment NOW = Moment.ofNanos(0);

  private static TableEngine engine(List<Limit> limits, TableEngine ancestor) {
    return TableEngine.of(
        limits, limits, 2, TableMemory.SHARED, new Timeline(0), () -> 0, ancestor);
  }

  private static boolean take(TableEngine tableEngine, int key) {
    long hash = (key + 1) * 0x9E37_79B9_7F4A_7C15L;
    return tableEngine.tryAcquire(hash, NOW.time(), NOW.inMillis(), 2)
        == TableEngine.Outcome.ALLOWED;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("io.weir.memory.MemoryBucketsTest#limits")
  void newKeysDuringReconfigureTakeNoPlaceOfKnownKeys(List<Limit> limits) {
    TableEngine before = engine(limits, null);
    assertThat(take(before, 1)).isTrue();
    assertThat(take(before, 2)).isTrue();
    TableEngine after = engine(limits, before);
    take(after, 3);
    take(after, 4);
    assertThat(after.keys()).as("strangers share the overflow bucket").isZero();
    assertThat(take(after, 1)).as("requested before it is taken over").isFalse();
    after.settle(NOW);
    assertThat(take(after, 1)).isFalse();
    assertThat(take(after, 2)).as("taken over in its turn").isFalse();
    assertThat(after.keys()).isEqualTo(2);
  }
}
