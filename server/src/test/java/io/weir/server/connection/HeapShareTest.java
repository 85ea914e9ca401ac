package io.weir.server.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.memory.MemoryProvider;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** All that clients may fill leaves room for the process. */
class HeapShareTest {
  private static final long MEGABYTE = 1L << 20;

  @ParameterizedTest
  @ValueSource(longs = {64, 128, 256, 512, 1024, 8192})
  void boundsTogetherLeaveAFifthOfTheHeap(long megabytes) {
    long heap = megabytes * MEGABYTE;
    long tables = heap / 3;
    long refusals = heap / 32; // of Redis: weir-redis, DenialCache
    long calls = heap / 16; // to Redis: weir-redis, CallMemory
    long ports = Arrays.stream(HeapShare.values()).mapToLong(share -> share.of(heap)).sum();
    assertThat(tables + refusals + calls + ports).isLessThanOrEqualTo(heap / 5 * 4);
  }

  @Test
  void tablesHaveAThird() {
    assertThat(MemoryProvider.share()).isEqualTo(Runtime.getRuntime().maxMemory() / 3);
  }

  @Test
  void noPortKeepsMoreThanItNeeds() {
    assertThat(HeapShare.BODIES.of(8192 * MEGABYTE)).isEqualTo(64 * MEGABYTE);
    assertThat(HeapShare.RESERVATIONS.of(8192 * MEGABYTE)).isEqualTo(1024 * MEGABYTE);
  }
}
