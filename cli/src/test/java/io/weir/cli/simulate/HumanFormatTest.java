package io.weir.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HumanFormatTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0 %",
    "0.00001, < 0.1 %",
    "0.001, 0.1 %",
    "0.1234, 12.3 %",
    "0.99999, > 99.9 %",
    "1, 100 %"
  })
  void showsZeroPercentOnlyForZero(double share, String text) {
    assertThat(HumanFormat.TERMINAL.percent(share)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 ms",
    "999, 999 ms",
    "1000, 1 s",
    "61000, 1 min 1 s",
    "86340000, 23 h 59 min",
    "86400000, 1 d",
    "90000000, 1 d 1 h"
  })
  void lengthsHaveTwoUnits(long millis, String text) {
    assertThat(HumanFormat.TERMINAL.length(Duration.ofMillis(millis))).isEqualTo(text);
  }

  @Test
  void groupsDigits() {
    assertThat(HumanFormat.TERMINAL.count(1234567, "request")).isEqualTo("1,234,567 requests");
    assertThat(HumanFormat.PAGE.count(1234567)).isEqualTo("1\u202f234\u202f567");
    assertThat(HumanFormat.TERMINAL.count(1, "request")).isEqualTo("1 request");
  }

  @Test
  void shortensInTheMiddle() {
    assertThat(HumanFormat.shortened("abcdefghijklmnop", 9)).isEqualTo("abcde…nop");
    assertThat(HumanFormat.shortened("abc", 9)).isEqualTo("abc");
    assertThat(HumanFormat.shortened("😀".repeat(20), 9))
        .isEqualTo("😀".repeat(5) + "…" + "😀".repeat(3));
  }

  @ParameterizedTest
  @CsvSource({
    "2026-03-02T00:00:00Z, PT24H, 2 Mar, 02:00, 13",
    "2026-03-02T10:07:00Z, PT1H, 10:10, 10:15, 12",
    "2026-03-02T10:07:00Z, PT7S, 10:07:00, 10:07:01, 8",
    "2026-03-02T10:07:00Z, PT0.01S, 00.000, 00.001, 11",
    "2026-01-01T00:00:00Z, P10D, 1 Jan, 2 Jan, 11"
  })
  void ticksAreOnRoundTimes(Instant start, Duration length, String first, String second, int many) {
    long from = start.toEpochMilli();
    List<Ticks.Moment> moments = Ticks.moments(from, from + length.toMillis(), 13);
    assertThat(moments).hasSize(many);
    assertThat(moments.get(0).label()).isEqualTo(first);
    assertThat(moments.get(1).label()).isEqualTo(second);
  }
}
