package io.weir.rules.replay.count;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.replay.OutcomeSeries;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimeSpansTest {
  @ParameterizedTest
  @CsvSource({"1", "599", "600", "3600", "100000", "86400000", "31536000000", "9000000000000"})
  void countsTimesInAnyOrderInABoundedNumberOfSpans(long range) {
    Random random = new Random(range);
    List<Long> times = new ArrayList<>();
    TimeSpans timeSpans = new TimeSpans();
    TimeSpans.Series series = timeSpans.series();
    for (int i = 0; i < 5000; i++) {
      long time = random.nextLong(-range / 2, range / 2 + 1);
      times.add(time);
      series.add(timeSpans.placeOf(time));
    }
    List<Long> counts = series.counts();
    assertThat(counts).hasSizeLessThanOrEqualTo(OutcomeSeries.MAX_SPANS);
    long[] expected = new long[counts.size()];
    long start = timeSpans.start().toEpochMilli();
    for (long time : times) {
      expected[(int) ((time - start) / timeSpans.span().toMillis())]++;
    }
    assertThat(counts.stream().mapToLong(n -> n))
        .containsExactly(java.util.Arrays.stream(expected).boxed().toArray(Long[]::new));
  }

  @Test
  void takesRoundSpans() {
    TimeSpans timeSpans = new TimeSpans();
    timeSpans.placeOf(Instant.parse("2026-05-04T00:00:00Z").toEpochMilli());
    timeSpans.placeOf(Instant.parse("2026-05-04T09:00:00Z").toEpochMilli());
    assertThat(timeSpans.span()).isEqualTo(Duration.ofMinutes(1));
    timeSpans.placeOf(Instant.parse("2026-05-11T09:00:00Z").toEpochMilli());
    assertThat(timeSpans.span()).isEqualTo(Duration.ofMinutes(30));
    assertThat(timeSpans.start()).isEqualTo("2026-05-04T00:00:00Z");
  }

  @Test
  void isEmptyWithoutTimes() {
    TimeSpans timeSpans = new TimeSpans();
    assertThat(timeSpans.series().counts()).isEmpty();
    assertThat(timeSpans.zeros()).isEmpty();
  }
}
