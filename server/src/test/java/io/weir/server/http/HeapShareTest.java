package io.weir.server.http;

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
  void boundsTogetherLeaveAQuarterOfTheHeap(long megabytes) {
    long heap = megabytes * MEGABYTE;
    long tables = heap / 3;
    long refusals = heap / 32; // of Redis: weir-redis, Refusals
    long ports = Arrays.stream(HeapShare.values()).mapToLong(share -> share.of(heap)).sum();
    assertThat(tables + refusals + ports).isLessThanOrEqualTo(heap / 4 * 3);
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
