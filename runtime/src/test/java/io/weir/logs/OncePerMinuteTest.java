package io.weir.logs;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.ManualTime;
import io.weir.TimeSource;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OncePerMinuteTest {
  private static final long MINUTE = 60_000_000_000L;

  /** The time may begin anywhere, and may wrap around within the minute. */
  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE - MINUTE / 2})
  void letsTheFirstEventOfEachMinuteThrough(long origin) {
    ManualTime clock = TimeSource.manual().setNanos(origin);
    OncePerMinute oncePerMinute = new OncePerMinute(clock);
    assertThat(oncePerMinute.isDue()).isTrue();
    assertThat(oncePerMinute.isDue()).isFalse();
    clock.advance(Duration.ofNanos(MINUTE - 1));
    assertThat(oncePerMinute.isDue()).isFalse();
    clock.advance(Duration.ofNanos(1));
    assertThat(oncePerMinute.isDue()).isTrue();
    assertThat(oncePerMinute.isDue()).isFalse();
  }
}
