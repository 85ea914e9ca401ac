package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The histogram: never too low, and at most an eighth too high. */
class ReplyLatenciesTest {
  private final ReplyLatencies replyLatencies = new ReplyLatencies();
  private final long start = System.nanoTime();

  private static long millis(long millis) {
    return Duration.ofMillis(millis).toNanos();
  }

  @Test
  void eachNumberIsInTheBucketThatEndsNext() {
    Random random = new Random(1);
    for (int i = 0; i < 100_000; i++) {
      long micros = i < 5000 ? i : random.nextLong(60_000_001);
      long ceiling = ReplyLatencies.ceiling(ReplyLatencies.bucket(micros));
      assertThat(ceiling).isBetween(micros, micros + micros / 8);
      assertThat(ReplyLatencies.bucket(ceiling)).isEqualTo(ReplyLatencies.bucket(micros));
      assertThat(ReplyLatencies.bucket(ceiling + 1)).isEqualTo(ReplyLatencies.bucket(micros) + 1);
    }
  }

  @ParameterizedTest
  @CsvSource({"100, 300, 1000", "5, 15, 50"})
  void percentilesAreAboutRight(long min, long step, long max) {
    for (long micros = min; micros <= max * 100; micros += step) {
      replyLatencies.add(micros * 1000, start);
    }
    RedisStatus.Latency latency = replyLatencies.snapshot(start);
    double range = max * 100 - min;
    assertThat(latency.p50().toNanos() / 1000.0).isBetween(range * 0.49, range * 0.58);
    assertThat(latency.p99().toNanos() / 1000.0).isBetween(range * 0.98, range * 1.13);
  }

  @Test
  void snapshotIsZeroWithoutSamples() {
    assertThat(replyLatencies.snapshot(start))
        .isEqualTo(new RedisStatus.Latency(0, Duration.ZERO, Duration.ZERO));
  }

  @Test
  void forgetsWhatIsOlderThanAMinute() {
    replyLatencies.add(millis(1), start + millis(1));
    assertThat(replyLatencies.snapshot(start + millis(29_000)).samples()).isEqualTo(1);
    replyLatencies.add(millis(1), start + millis(31_000));
    assertThat(replyLatencies.snapshot(start + millis(59_000)).samples()).isEqualTo(2);
    assertThat(replyLatencies.snapshot(start + millis(61_000)).samples()).isEqualTo(1);
    assertThat(replyLatencies.snapshot(start + millis(999_000)).samples()).isZero();
  }

  @Test
  void whatIsOutOfRangeIsCountedAtTheEdge() {
    replyLatencies.add(-5, start);
    replyLatencies.add(Long.MAX_VALUE / 2, start);
    RedisStatus.Latency latency = replyLatencies.snapshot(start);
    assertThat(latency.samples()).isEqualTo(2);
    assertThat(latency.p50()).isZero();
    assertThat(latency.p99()).isGreaterThanOrEqualTo(Duration.ofMinutes(1));
  }
}
