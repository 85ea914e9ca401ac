package io.weir.client.pace;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.client.quota.Quota;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Numbers that no server means, and clocks at the ends of their range. */
class LimitPacerTest {
  private static final Duration BELIEF = Duration.ofSeconds(60);

  /** In company, with little left: the next has to wait, and not for longer than is believed. */
  @ParameterizedTest
  @CsvSource({
    // origin, limit, window in seconds, left, left at last, more after
    "0, 1000, 10, 500, 0, 1",
    "0, 1000, 315360000, 500, 0, 0",
    "0, 1, 315360000, 900, 0, 315360000",
    "0, 0, 0, 500, 0, 0",
    "-9223372036854775808, 1000, 315360000, 500, 0, 0",
    "9223372036854775000, 1000, 315360000, 500, 0, 0",
    "-1, 1000, 315360000, 500, 0, 1",
  })
  void waitIsBounded(long origin, long limit, long window, long left, long last, long growsAfter) {
    LimitPacer limitPacer = new LimitPacer(new SplittableRandom(1), BELIEF);
    long now = origin;
    for (int i = 0; i < 10; i++) {
      long remaining = i == 9 ? last : left - 50 * i;
      now += 1_000_000;
      long sentAt = now;
      limitPacer.sent(now);
      now += 1_000_000;
      limitPacer.responded(quota(limit, window, remaining, growsAfter), sentAt, now);
    }
    limitPacer.sent(now);
    assertThat(limitPacer.delay(now)).isPositive().isLessThanOrEqualTo(BELIEF.toNanos() * 2);
  }

  private static Quota quota(long limit, long window, long left, long growsAfter) {
    return new Quota(
        "p",
        OptionalLong.of(limit),
        Optional.of(Duration.ofSeconds(window)).filter(span -> !span.isZero()),
        OptionalLong.of(left),
        Optional.of(Duration.ofSeconds(growsAfter)).filter(span -> !span.isZero()));
  }
}
