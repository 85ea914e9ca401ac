package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A seed determines a schedule, and all seeds together cover everything. */
class ScheduleTest {
  private static final List<Consistency> ALL = List.of(Consistency.values());

  private static Schedule of(long seed) {
    return Schedule.of(seed, ALL, true, true);
  }

  @Test
  void theSameSeedIsTheSameSchedule() {
    for (long seed = 0; seed < 100; seed++) {
      assertThat(of(seed)).isEqualTo(of(seed));
      assertThat(of(seed).steps()).isNotEqualTo(of(seed + 1).steps());
    }
  }

  @Test
  void evenSeedsKeepDataAndOddOnesDoNot() {
    for (long seed = 0; seed < 100; seed++) {
      assertThat(of(seed).keepsData()).isEqualTo(seed % 2 == 0);
    }
  }

  /** Leases of both kinds are tried, and never the weaker ones where data is lost. */
  @Test
  void leasesAreStrictWhereverDataIsLost() {
    for (long seed = 0; seed < 100; seed++) {
      Contract leased = of(seed).contracts().get(Consistency.LEASED.ordinal());
      assertThat(leased.consistency()).isEqualTo(Consistency.LEASED);
      assertThat(leased.isStrict()).isEqualTo(seed % 4 != 0);
    }
  }

  @Test
  void everyFaultHasItsTurn() {
    Set<Fault> seen = EnumSet.noneOf(Fault.class);
    for (long seed = 1; seed <= 200; seed++) {
      of(seed).steps().forEach(step -> seen.add(step.fault()));
    }
    assertThat(seen).containsExactlyInAnyOrderElementsOf(Fault.random());
  }

  @Test
  void whatCannotBeDoneIsLeftOut() {
    for (long seed = 0; seed < 100; seed++) {
      assertThat(Schedule.of(seed, ALL, false, false).steps())
          .allMatch(step -> step.fault().isPossible(false, false));
    }
  }

  @Test
  void whatCannotBeDoneGivesPlaceAndAllElseStays() {
    for (long seed = 0; seed < 100; seed++) {
      List<Step> all = of(seed).steps();
      Schedule less = Schedule.of(seed, ALL, false, false);
      assertThat(less.contracts()).isEqualTo(of(seed).contracts());
      assertThat(less.keepsData()).isEqualTo(of(seed).keepsData());
      assertThat(less.steps()).hasSameSizeAs(all);
      for (int i = 0; i < all.size(); i++) {
        Step step = all.get(i);
        Fault fault =
            step.fault().isPossible(false, false) ? step.fault() : less.steps().get(i).fault();
        assertThat(less.steps().get(i))
            .isEqualTo(new Step(fault, step.after(), step.length(), step.which()));
      }
    }
  }

  @Test
  void aScheduleTakesSeconds() {
    for (long seed = 0; seed < 100; seed++) {
      Duration all = of(seed).tail();
      for (Step step : of(seed).steps()) {
        all = all.plus(step.after()).plus(step.length());
      }
      assertThat(all).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(11));
    }
  }

  /**
   * A limiter that refuses for a window must be observed when that window ends: a window is up to 2
   * s.
   */
  @Test
  void observesStrictLimitsUntilTheEndOfAWindow() {
    Set<Fault> doubtful = Set.of(Fault.REDIS_CLOCK_PUT_BACK, Fault.NODE_BACK_AT_A_WRONG_TIME);
    for (long seed = 0; seed < 200; seed += 2) {
      boolean doubts = of(seed).steps().stream().anyMatch(step -> doubtful.contains(step.fault()));
      assertThat(of(seed).tail()).isEqualTo(Duration.ofMillis(doubts ? 4000 : 1500));
    }
  }

  @Test
  void contractsSurviveSerialization() {
    for (Contract contract : of(7).contracts()) {
      assertThat(Contract.parse(contract.toLine())).isEqualTo(contract);
    }
  }
}
