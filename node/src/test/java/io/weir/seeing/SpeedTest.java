package io.weir.seeing;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.arbiter.Arbiter;
import io.weir.arbiter.Tally;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How long decisions took. */
class SpeedTest {
  @Test
  void isOfTheLastMinuteAndOfNothingIfThereWasNone() {
    Tally tally = new Tally();
    Arbiter arbiter = new Arbiter(RequestLimiter.builder(RuleSet.of(List.of())).build(), tally);
    Speed speed = new Speed(tally.timings(), 0);
    assertThat(speed.quantiles(0)).isEqualTo(new Speed.Quantiles(0, 0, 0));

    for (int i = 0; i < 64 * 64; i++) { // one in 64 is timed
      arbiter.decide(any -> null).toCompletableFuture().join();
    }
    speed.read(1);
    Speed.Quantiles found = speed.quantiles(1);
    assertThat(found.sampled()).isPositive();
    assertThat(found.medianNanos()).isPositive().isLessThanOrEqualTo(found.slowNanos());
    assertThat(found.slowNanos()).isLessThanOrEqualTo(100_000_000);
    assertThat(speed.quantiles(62).sampled()).isZero();
  }
}
