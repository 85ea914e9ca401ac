package io.weir.insight;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is recorded of callers fits into a small heap too. */
class InsightHeapShareTest {
  private static final long MEGABYTE = 1L << 20;

  @ParameterizedTest
  @CsvSource({
    "64, 5242, 259", //
    "128, 10485, 518",
    "1024, 81920, 2048",
    "8192, 81920, 2048",
  })
  void recordsFewerCallersInASmallHeap(long megabytes, int places, int callers) {
    assertThat(Rankings.allPlaces(megabytes * MEGABYTE)).isEqualTo(places);
    assertThat(DemandRecorders.allCallers(megabytes * MEGABYTE)).isEqualTo(callers);
  }
}
