package io.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.ManualTime;
import io.weir.OnFailure;
import io.weir.Store;
import io.weir.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Permits granted by another store are charged even if they are not available, never beyond fully
 * spent.
 */
class ChargeTest {
  private final ManualTime time = TimeSource.manual();

  static Stream<Limit> limits() {
    return Stream.of(
        Limit.tokenBucket(5).perMinute(),
        Limit.tokenBucket(2_147_483_647).per(Limit.MAX_PERIOD).burst(5),
        Limit.leakyBucket(5).perMinute().queue(4),
        Limit.fixedWindow(5).perMinute(),
        Limit.slidingWindow(5).perMinute(),
        Limit.slidingEpochs(5).perMinute(),
        Limit.slidingEpochs(5).perMinute().countingRejected(),
        Limit.slidingLog(5).perMinute(),
        Limit.slidingLog(5).perMinute().countingRejected());
  }

  private Buckets open(Limit... limits) {
    List<Limit> all = List.of(limits);
    return Store.memory()
        .open(new Store.LimiterSpec("charge", all, all, 1000, time, OnFailure.LOCAL));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void whatIsThereIsTakenLikeByACheck(Limit limit) {
    Buckets charged = open(limit);
    Buckets checked = open(limit);
    time.advance(Duration.ofSeconds(90));
    for (int i = 0; i < 5; i++) {
      charged.charge("k", 1);
      checked.check("k", 1);
      assertThat(charged.peek("k", 1)).isEqualTo(checked.peek("k", 1));
      time.advance(Duration.ofSeconds(1));
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void whatIsNotThereIsNotOwed(Limit limit) {
    Buckets charged = open(limit);
    Buckets checked = open(limit);
    time.advance(Duration.ofSeconds(90));
    charged.charge("k", 3);
    charged.charge("k", 4);
    charged.charge("k", 1_000_000_000_000L);
    checked.check("k", 5);
    for (int i = 0; i < 130; i++) {
      assertThat(charged.peek("k", 1)).isEqualTo(checked.peek("k", 1));
      time.advance(Duration.ofSeconds(1));
    }
  }

  @Test
  void eachLimitGivesWhatItHas() {
    Buckets buckets = open(Limit.tokenBucket(2).perMinute(), Limit.slidingLog(5).perMinute());
    buckets.charge("k", 3);
    Decision decision = buckets.peek("k", 1);
    assertThat(decision.standings()).extracting(LimitStatus::remaining).containsExactly(0L, 2L);
  }

  @Test
  void chargingNothingSpendsNothing() {
    Buckets buckets = open(Limit.tokenBucket(2).perMinute());
    buckets.charge("k", 0);
    assertThat(buckets.peek("k", 1).remaining()).isEqualTo(2);
    assertThat(buckets.keys()).isZero();
  }

  @Test
  void otherKeysAreNotTouched() {
    Buckets buckets = open(Limit.slidingLog(2).perMinute());
    buckets.charge("k", 2);
    assertThat(buckets.tryAcquire("other", 2)).isTrue();
  }
}
