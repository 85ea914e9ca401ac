package io.weir.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.tck.model.Fraction;
import io.weir.tck.model.ReferenceLimiter;
import io.weir.tck.model.ReferenceLimiter.Takeover;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a change of limits reaches a bucket: at once, or when it is next written. */
class TakeoverTest {
  private static final Duration PERIOD = Duration.ofSeconds(12);
  private static final List<Limit> WIDE = List.of(Limit.fixedWindow(10).perHour());
  private static final List<Limit> NARROW = List.of(Limit.fixedWindow(4).perHour());
  private static final List<Limit> OTHER = List.of(Limit.tokenBucket(5).perHour());
  private static final List<Limit> NONE = List.of(Limit.fixedWindow(0).perHour());
  private static final Fraction NOW = Fraction.of(1000);

  /**
   * Nine of ten are spent. Then other limits hold, with or without a request, and the first come
   * back.
   */
  @ParameterizedTest
  @CsvSource({
    "AT_ONCE,      NARROW, nothing, 1",
    "AT_ONCE,      NARROW, peek,    1",
    "AT_ONCE,      NARROW, check,   1",
    "AT_ONCE,      NARROW, refund,  2",
    "AT_ONCE,      NONE,   check,   1",
    "AT_ONCE,      OTHER,  nothing, 10",
    "WHEN_WRITTEN, NARROW, nothing, 1",
    "WHEN_WRITTEN, NARROW, peek,    1",
    "WHEN_WRITTEN, NARROW, check,   1",
    "WHEN_WRITTEN, NARROW, refund,  2",
    "WHEN_WRITTEN, NONE,   refund,  1",
    "WHEN_WRITTEN, OTHER,  nothing, 1",
    "WHEN_WRITTEN, OTHER,  check,   1",
  })
  void countSurvivesAChangeOfLimitsAndBack(
      Takeover takeover, String between, String verb, long remaining) {
    ReferenceLimiter limiter = new ReferenceLimiter(WIDE, takeover);
    limiter.check("key", 9, NOW);

    limiter.reconfigure(limits(between), NOW);
    run(limiter, verb, NOW);
    limiter.reconfigure(WIDE, NOW);

    assertThat(limiter.peek("key", 1, NOW).remaining()).isEqualTo(remaining);
  }

  private static List<Limit> limits(String name) {
    return switch (name) {
      case "NARROW" -> NARROW;
      case "OTHER" -> OTHER;
      case "NONE" -> NONE;
      default -> throw new IllegalArgumentException(name);
    };
  }

  private static void run(ReferenceLimiter limiter, String verb, Fraction now) {
    switch (verb) {
      case "peek" -> limiter.peek("key", 1, now);
      case "check" -> limiter.check("key", 1, now);
      case "refund" -> limiter.refund("key", 1, now);
      default -> assertThat(verb).isEqualTo("nothing");
    }
  }

  /**
   * All 40 of a burst are spent, which are 12 seconds of a fast limit and 48 of a slow one. Half of
   * the 12 seconds later the fast one is back.
   */
  @ParameterizedTest
  @CsvSource({
    "AT_ONCE,      nothing, 0,  42000",
    "AT_ONCE,      refund,  0,  40800",
    "WHEN_WRITTEN, nothing, 20, 6000",
    "WHEN_WRITTEN, peek,    20, 6000",
    "WHEN_WRITTEN, check,   20, 6000",
    "WHEN_WRITTEN, refund,  21, 5700",
  })
  void debtSurvivesAChangeOfLimitsAndBack(
      Takeover takeover, String verb, long remaining, long millisToGo) {
    List<Limit> fast = List.of(Limit.tokenBucket(40).per(PERIOD).burst(40));
    List<Limit> slow = List.of(Limit.tokenBucket(10).per(PERIOD).burst(40));
    ReferenceLimiter limiter = new ReferenceLimiter(fast, takeover);
    limiter.check("key", 40, NOW);

    limiter.reconfigure(slow, NOW);
    assertThat(limiter.peek("key", 1, NOW).limits().get(0).resetAfter())
        .isEqualTo(Duration.ofSeconds(48));
    run(limiter, verb, NOW);
    Fraction later = NOW.plus(Fraction.of(6000));
    limiter.reconfigure(fast, later);

    assertThat(limiter.peek("key", 1, later).remaining()).isEqualTo(remaining);
    assertThat(limiter.peek("key", 1, later).limits().get(0).resetAfter())
        .isEqualTo(Duration.ofMillis(millisToGo));
  }

  /** Of two limits only the one that counts what is refused takes its bucket over. */
  @Test
  void refusalWritesOnlyIfRefusalsCount() {
    Limit fast = Limit.tokenBucket(40).per(PERIOD).burst(40);
    Limit slow = Limit.tokenBucket(10).per(PERIOD).burst(40);
    ReferenceLimiter old =
        new ReferenceLimiter(
            List.of(fast, Limit.slidingLog(40).per(PERIOD)), Takeover.WHEN_WRITTEN);
    ReferenceLimiter changed =
        old.beside(List.of(slow, Limit.slidingLog(30).per(PERIOD).countingRejected()));
    old.check("key", 20, NOW);

    assertThat(changed.check("key", 11, NOW).allowed()).isFalse();

    assertThat(old.peek("key", 1, NOW).limits().get(0).remaining()).isEqualTo(20);
    assertThat(old.peek("key", 1, NOW).limits().get(1).remaining()).isEqualTo(10);
  }
}
