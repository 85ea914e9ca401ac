package io.weir.rules.lint;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Charge;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.RateLimiter;
import io.weir.TimeSource;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Where a limit is said to be at least as strict as another, that other never refuses behind it.
 */
class StrictnessProperties {
  @Test
  void aLooserLimitNeverRefusesBehindAStricterOne() {
    Random random = new Random(1);
    Map<String, Integer> pairs = new TreeMap<>();
    for (int round = 0; round < 20_000; round++) {
      Limit strict = limit(random);
      Limit loose = limit(random);
      if (Strictness.isAtLeastAsStrict(strict, loose)) {
        int times = pairs.merge(strict.algorithm() + " over " + loose.algorithm(), 1, Integer::sum);
        if (times <= 40) {
          requireNeverRefuses(strict, loose, random);
        }
      }
    }
    assertThat(pairs.keySet())
        .contains(
            "token-bucket over token-bucket",
            "token-bucket over sliding-log",
            "token-bucket over fixed-window",
            "token-bucket over sliding-epochs",
            "sliding-log over token-bucket",
            "sliding-log over fixed-window",
            "sliding-log over sliding-epochs",
            "sliding-log over sliding-log",
            "sliding-window over fixed-window",
            "sliding-window over sliding-window",
            "sliding-epochs over fixed-window",
            "fixed-window over fixed-window",
            "leaky-bucket over leaky-bucket");
  }

  /** The stricter one counts all callers together, the looser one each by itself. */
  private static void requireNeverRefuses(Limit strict, Limit loose, Random random) {
    ManualTime time = TimeSource.manual();
    RateLimiter all = limiter(strict, time);
    RateLimiter each = limiter(loose, time);
    for (int i = 0; i < 300; i++) {
      String caller = random.nextInt(8) == 0 ? "b" : "a";
      long cost = random.nextInt(6) == 0 ? 1 + random.nextInt(4) : 1;
      List<Decision> decisions =
          RateLimiter.takeAll(List.of(new Charge(all, "all", cost), new Charge(each, caller, cost)))
              .decisions();
      if (decisions.get(0).allowed()) {
        assertThat(decisions.get(1).allowed()).as("%s over %s", strict, loose).isTrue();
      }
      long micros =
          switch (random.nextInt(4)) {
            case 0 -> 0;
            case 1 -> random.nextInt(3_000);
            case 2 -> 1000L * random.nextInt(200);
            default -> decisions.get(0).retryAfter().map(Duration::toNanos).orElse(0L) / 1000;
          };
      time.advance(Duration.ofNanos(micros * 1000));
    }
  }

  private static RateLimiter limiter(Limit limit, ManualTime time) {
    return RateLimiter.builder().limit(limit).time(time).build();
  }

  private static Limit limit(Random random) {
    long permits = 1 + random.nextInt(12);
    Duration period = Duration.ofMillis(10L * (1 + random.nextInt(12)));
    return switch (random.nextInt(7)) {
      case 0 -> Limit.tokenBucket(permits).per(period).burst(1 + random.nextInt(8));
      case 1 -> Limit.leakyBucket(permits).per(Duration.ofMillis(20)).queue(random.nextInt(6));
      case 2 -> Limit.fixedWindow(permits).per(period);
      case 3 -> Limit.slidingLog(permits).per(period);
      case 4 -> Limit.slidingWindow(permits).per(period);
      case 5 -> Limit.slidingEpochs(permits).per(period).epochs(5);
      default -> Limit.slidingLog(permits).per(period).countingRejected();
    };
  }

  static Stream<Arguments> cases() {
    Limit bucket = Limit.tokenBucket(10).perSecond().burst(100);
    return Stream.of(
        // 100 + 60 × 10 in a minute
        Arguments.of(bucket, Limit.fixedWindow(700).perMinute(), true),
        Arguments.of(bucket, Limit.fixedWindow(699).perMinute(), false),
        Arguments.of(bucket, Limit.slidingEpochs(700).perMinute(), true),
        Arguments.of(bucket, Limit.slidingLog(701).perMinute(), true),
        Arguments.of(bucket, Limit.slidingLog(699).perMinute(), false),
        Arguments.of(bucket, Limit.fixedWindow(1000).perDay(), false),
        Arguments.of(bucket, Limit.tokenBucket(600).perMinute().burst(100), true),
        Arguments.of(bucket, Limit.tokenBucket(599).perMinute().burst(100), false),
        Arguments.of(bucket, Limit.tokenBucket(10).perSecond().burst(99), false),
        Arguments.of(bucket, Limit.slidingWindow(1_000_000).perMinute(), false),
        Arguments.of(Limit.fixedWindow(100).perHour(), Limit.fixedWindow(100).perMinute(), true),
        Arguments.of(Limit.fixedWindow(100).perMinute(), Limit.fixedWindow(100).perHour(), false),
        Arguments.of(Limit.fixedWindow(100).perDay(), Limit.fixedWindow(100).perDay(), true),
        Arguments.of(
            Limit.fixedWindow(100).perDay(),
            Limit.fixedWindow(100).perDay().zone(ZoneOffset.ofHours(1)),
            false),
        Arguments.of(Limit.slidingLog(5).perMinute(), Limit.slidingLog(5).perSecond(), true),
        Arguments.of(
            Limit.slidingLog(5).perMinute(),
            Limit.slidingLog(500).perMinute().countingRejected(),
            false),
        Arguments.of(Limit.slidingLog(5).perMinute(), Limit.tokenBucket(5).perMinute(), true),
        Arguments.of(Limit.tokenBucket(0).perMinute().burst(0), bucket, true),
        Arguments.of(bucket, Limit.tokenBucket(0).perMinute().burst(0), false));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void isKnown(Limit strict, Limit loose, boolean isStricter) {
    assertThat(Strictness.isAtLeastAsStrict(strict, loose)).isEqualTo(isStricter);
  }
}
