package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.chaos.audit.Contract;
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
      assertThat(of(seed).scheduledFaults()).isNotEqualTo(of(seed + 1).scheduledFaults());
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
  void seedsCoverEveryFault() {
    Set<InjectedFault> seen = EnumSet.noneOf(InjectedFault.class);
    for (long seed = 1; seed <= 200; seed++) {
      of(seed)
          .scheduledFaults()
          .forEach(scheduledFault -> seen.add(scheduledFault.injectedFault()));
    }
    assertThat(seen).containsExactlyInAnyOrderElementsOf(InjectedFault.random());
  }

  @Test
  void skipsUnsupportedFaults() {
    for (long seed = 0; seed < 100; seed++) {
      assertThat(Schedule.of(seed, ALL, false, false).scheduledFaults())
          .allMatch(scheduledFault -> scheduledFault.injectedFault().isPossible(false, false));
    }
  }

  @Test
  void unsupportedFaultsDoNotChangeOtherSteps() {
    for (long seed = 0; seed < 100; seed++) {
      List<ScheduledFault> all = of(seed).scheduledFaults();
      Schedule less = Schedule.of(seed, ALL, false, false);
      assertThat(less.contracts()).isEqualTo(of(seed).contracts());
      assertThat(less.keepsData()).isEqualTo(of(seed).keepsData());
      assertThat(less.scheduledFaults()).hasSameSizeAs(all);
      for (int i = 0; i < all.size(); i++) {
        ScheduledFault scheduledFault = all.get(i);
        InjectedFault injectedFault =
            scheduledFault.injectedFault().isPossible(false, false)
                ? scheduledFault.injectedFault()
                : less.scheduledFaults().get(i).injectedFault();
        assertThat(less.scheduledFaults().get(i))
            .isEqualTo(
                new ScheduledFault(
                    injectedFault,
                    scheduledFault.after(),
                    scheduledFault.length(),
                    scheduledFault.which()));
      }
    }
  }

  @Test
  void aScheduleTakesSeconds() {
    for (long seed = 0; seed < 100; seed++) {
      Duration all = of(seed).tail();
      for (ScheduledFault scheduledFault : of(seed).scheduledFaults()) {
        all = all.plus(scheduledFault.after()).plus(scheduledFault.length());
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
    Set<InjectedFault> doubtful =
        Set.of(InjectedFault.REDIS_CLOCK_PUT_BACK, InjectedFault.NODE_BACK_AT_A_WRONG_TIME);
    for (long seed = 0; seed < 200; seed += 2) {
      boolean doubts =
          of(seed).scheduledFaults().stream()
              .anyMatch(scheduledFault -> doubtful.contains(scheduledFault.injectedFault()));
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
