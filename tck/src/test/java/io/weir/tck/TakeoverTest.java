package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.tck.model.Fraction;
import io.weir.tck.model.ReferenceLimiter;
import io.weir.tck.model.ReferenceLimiter.Takeover;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a change of limits reaches a bucket: at once, or when somebody asks for it. */
class TakeoverTest {
  private static final List<Limit> WIDE = List.of(Limit.fixedWindow(10).perHour());
  private static final List<Limit> NARROW = List.of(Limit.fixedWindow(4).perHour());
  private static final List<Limit> OTHER = List.of(Limit.tokenBucket(5).perHour());
  private static final Fraction NOW = Fraction.of(1000);

  /** Nine of ten are spent; then others rule, are asked or not, and the first come back. */
  @ParameterizedTest
  @CsvSource({
    "AT_ONCE,        NARROW, nobody asks, 6",
    "AT_ONCE,        NARROW, somebody,    6",
    "AT_ONCE,        OTHER,  nobody asks, 10",
    "WHEN_ASKED_FOR, NARROW, nobody asks, 1",
    "WHEN_ASKED_FOR, NARROW, somebody,    6",
    "WHEN_ASKED_FOR, OTHER,  nobody asks, 1",
    "WHEN_ASKED_FOR, OTHER,  somebody,    1",
  })
  void thereAndBack(Takeover takeover, String between, String who, long remaining) {
    ReferenceLimiter limiter = new ReferenceLimiter(WIDE, takeover);
    limiter.check("key", 9, NOW);

    limiter.reconfigure(between.equals("NARROW") ? NARROW : OTHER, NOW);
    if (who.equals("somebody")) {
      limiter.peek("key", 1, NOW);
    }
    limiter.reconfigure(WIDE, NOW);

    assertThat(limiter.peek("key", 1, NOW).remaining()).isEqualTo(remaining);
  }
}
