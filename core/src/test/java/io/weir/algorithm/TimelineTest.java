package io.weir.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Moments around any origin are small non-negative numbers. */
class TimelineTest {
  private static final long HALF = 1L << 41;

  @ParameterizedTest(name = "origin {0}")
  @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 1, 1_790_000_000_000L, Long.MAX_VALUE})
  void theOriginIsInTheMiddle(long origin) {
    Timeline timeline = new Timeline(origin);
    assertThat(timeline.millis(origin)).isEqualTo(HALF);
    assertThat(timeline.clampedMillis(origin)).isEqualTo(HALF);
    assertThat(timeline.epochMillis(HALF)).isEqualTo(origin);
  }

  @ParameterizedTest(name = "origin {0}")
  @ValueSource(longs = {-1, 0, 1_790_000_000_000L})
  void whatLiesOffItIsRefusedOrClamped(long origin) {
    Timeline timeline = new Timeline(origin);
    long first = origin - HALF + 1;
    long last = origin + HALF - 1;
    assertThat(timeline.millis(first)).isEqualTo(1);
    assertThat(timeline.millis(last)).isEqualTo(Timeline.LENGTH - 1);
    assertThat(timeline.clampedMillis(first)).isEqualTo(1);
    assertThat(timeline.clampedMillis(last)).isEqualTo(Timeline.LENGTH - 1);
    for (long off : new long[] {Long.MIN_VALUE, first - 2, first - 1}) {
      refuses(timeline, off, origin);
      assertThat(timeline.clampedMillis(off)).isEqualTo(1);
    }
    for (long off : new long[] {last + 1, last + 2, Long.MAX_VALUE}) {
      refuses(timeline, off, origin);
      assertThat(timeline.clampedMillis(off)).isEqualTo(Timeline.LENGTH - 1);
    }
    assertThat(timeline.earliestEpochMillis()).isEqualTo(first - 1);
  }

  private static void refuses(Timeline timeline, long off, long origin) {
    assertThatThrownBy(() -> timeline.millis(off))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "time "
                + off
                + " ms is more than 69 years from the first time seen, "
                + origin
                + " ms");
  }

  @ParameterizedTest(name = "origin {0}, period {1}: {2}")
  @CsvSource({
    "0,                    10,   8",
    "2199023255552,        10,   0",
    "2199023255559,        10,   7",
    "-1,                   10,   7",
    "5,                    1,    0",
    "-9223372036854775808, 1000, 640",
    "9223372036854775807,  1000, 255",
  })
  void thePhaseIsThatOfTheStart(long origin, long period, long phase) {
    assertThat(new Timeline(origin).phase(period)).isEqualTo(phase);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "-9223372036854775808, -9223372036854775808",
    "-9223369837831520257, -9223372036854775808",
    "-9223369837831520256, -9223372036854775808",
    "-9223369837831520255, -9223372036854775807",
    "0,                    -2199023255552",
  })
  void theEarliestMomentIsOneThatALongCanName(long origin, long earliest) {
    assertThat(new Timeline(origin).earliestEpochMillis()).isEqualTo(earliest);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "9223372036854775807, 9223372036854775807",
    "9223369837831520256, 9223372036854775807",
    "9223369837831520255, 9223372036854775806",
    "0,                   2199023255551",
  })
  void theLastMomentIsOneThatALongCanName(long origin, long last) {
    assertThat(new Timeline(origin).lastEpochMillis()).isEqualTo(last);
  }
}
