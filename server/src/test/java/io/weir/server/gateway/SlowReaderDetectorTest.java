package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlowReaderDetectorTest {
  private static final long ROUND = 100_000_000L;
  private static final long SECOND = 10 * ROUND;

  /** Clients that read a step of bytes at regular intervals. */
  @ParameterizedTest
  @CsvSource({
    // least rate, minutes at most, bytes of a step, seconds between steps, too slow after seconds
    "1024, 60, 32768, 30, never",
    "1024, 60, 32768, 33, 32",
    "1024, 60, 32768, 40, 32",
    "1024, 60, 100000, 25, never",
    "1024, 60, 0, 1, 32",
    "1024, 60, 1000, 1, 1324", // 24 bytes a second are missing
    "1024, 60, 1024, 1, never",
    "100000, 60, 0, 1, 10",
    "100000, 60, 50000, 1, 19",
    "100000, 60, 100000, 1, never",
    "1024, 5, 0, 1, 5",
    "1, 60, 0, 1, 60",
    "0, 60, 0, 1, never",
  })
  void detectsTooSlowClient(long minRate, long maxSeconds, long step, long every, String after) {
    SlowReaderDetector pace = new SlowReaderDetector(minRate, maxSeconds * SECOND);
    long bytes = 10_000_000; // bytes in buffers do not count as a lead
    long found = -1;
    for (long round = 0; round < 1500 * 10 && found < 0; round++) {
      bytes += round > 0 && round % (every * 10) == 0 ? step : 0;
      pace.look(round * ROUND, true, bytes);
      found = pace.isTooSlow() ? round / 10 : -1;
    }
    assertThat(found < 0 ? "never" : "" + found).isEqualTo(after);
  }

  @ParameterizedTest
  @CsvSource({
    // bytes of a step, rounds between steps, whether it is idling after a minute and a step
    "0, 1, true",
    "4096, 10, true",
    "8192, 10, false",
    "32768, 45, true",
    "32768, 40, false",
  })
  void detectsIdlingClient(long step, long every, boolean expected) {
    SlowReaderDetector pace = new SlowReaderDetector(0, SECOND);
    long bytes = 0;
    for (long round = 0; round <= 1800; round++) {
      bytes += round % every == 0 ? step : 0;
      pace.look(round * ROUND, true, bytes);
    }
    assertThat(pace.isIdling()).isEqualTo(expected);
  }

  /** A slow server or a delayed event loop is not the client's lag. */
  @ParameterizedTest
  @CsvSource({"false, 1", "true, 100"})
  void slowServerOrEventLoopIsNotTheClientsLag(boolean isWaiting, long rounds) {
    SlowReaderDetector pace = new SlowReaderDetector(1024, 60 * SECOND);
    for (long look = 0; look < 120; look++) {
      pace.look(look * rounds * ROUND, isWaiting, 1);
    }
    assertThat(pace.isTooSlow()).isFalse();
  }
}
