package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.OnFailure;
import io.weir.chaos.audit.Contract;
import io.weir.chaos.audit.Contract.Algorithm;
import io.weir.chaos.audit.Contract.Size;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What follows from the kind and the seed of an aimed schedule. */
class TargetedScenarioTest {
  @ParameterizedTest
  @EnumSource(TargetedScenario.class)
  void sameSeedIsSameSchedule(TargetedScenario targetedScenario) {
    for (long seed = 1; seed <= 50; seed++) {
      assertThat(targetedScenario.schedule(seed)).isEqualTo(targetedScenario.schedule(seed));
      assertThat(targetedScenario.schedule(seed).scheduledFaults())
          .isNotEqualTo(targetedScenario.schedule(seed + 1).scheduledFaults());
      assertThat(targetedScenario.schedule(seed).replay())
          .isEqualTo("./test --chaos --kind " + targetedScenario + " --seed " + seed);
    }
  }

  @ParameterizedTest
  @EnumSource(TargetedScenario.class)
  void findsScenarioByItsName(TargetedScenario targetedScenario) {
    assertThat(TargetedScenario.named(targetedScenario.toString())).contains(targetedScenario);
    assertThat(TargetedScenario.named("no-such-kind")).isEmpty();
  }

  @Test
  void firstSeedsHaveOneOfEachKind() {
    assertThat(
            LongStream.rangeClosed(1, TargetedScenario.values().length)
                .mapToObj(TargetedScenario::turn))
        .containsExactly(TargetedScenario.values());
  }

  @Test
  void mixedLimitsCoverAlgorithmsAndDifferences() {
    for (Consistency consistency : Consistency.values()) {
      Set<Algorithm> seen = EnumSet.noneOf(Algorithm.class);
      boolean rateAlone = false;
      boolean burstAlone = false;
      for (long seed = 1; seed <= 400; seed += TargetedScenario.values().length) {
        for (Contract contract : TargetedScenario.MIXED_LIMITS.schedule(seed).contracts()) {
          if (contract.consistency() == consistency) {
            Size one = contract.sizes().get(0);
            Size other = contract.sizes().get(1);
            seen.add(contract.algorithm());
            rateAlone |= one.permits() != other.permits() && one.burst() == other.burst();
            burstAlone |= one.permits() == other.permits() && one.burst() != other.burst();
          }
        }
      }
      Set<Algorithm> possible = EnumSet.allOf(Algorithm.class);
      if (consistency != Consistency.EXACT) {
        possible.remove(Algorithm.LEAKY_BUCKET);
      }
      assertThat(seen).as(consistency.toString()).isEqualTo(possible);
      assertThat(rateAlone && burstAlone).as(consistency.toString()).isTrue();
    }
  }

  @Test
  void mixedLimitsMeetClocksPutBackBeyondAllReservations() {
    int met = 0;
    for (long seed = 1; seed <= 40; seed++) {
      Schedule schedule = TargetedScenario.MIXED_LIMITS.schedule(seed);
      for (ScheduledFault scheduledFault : schedule.scheduledFaults()) {
        if (scheduledFault.injectedFault() == InjectedFault.REDIS_CLOCK_PUT_BACK) {
          met++;
          assertThat(scheduledFault.length()).isGreaterThan(Duration.ofSeconds(6));
        }
      }
      assertThat(
              schedule
                  .where(injectedFault -> injectedFault.isPossible(true, false))
                  .scheduledFaults())
          .noneMatch(
              scheduledFault ->
                  scheduledFault.injectedFault() == InjectedFault.REDIS_CLOCK_PUT_BACK)
          .isNotEmpty();
    }
    assertThat(met).isBetween(5, 25);
  }

  @Test
  void nodesAlternateBetweenLimits() {
    Contract contract = TargetedScenario.MIXED_LIMITS.schedule(1).contracts().get(0);
    for (int node = 1; node <= 3; node++) {
      Contract own = contract.at(node);
      assertThat(own.sizes()).containsExactly(contract.sizes().get((node - 1) % 2));
      assertThat(Contract.parse(own.toLine())).isEqualTo(own);
    }
    assertThat(contract.grantBound().maxPermits(0))
        .isGreaterThan(contract.smallestBound().maxPermits(0));
  }

  /** 20 places of 13 in 3 s take as long as 31 of 20 in 3 s: the last leaves 4.6 s from now. */
  @Test
  void grantBoundOfAQueueIsThatOfItsLastTurn() {
    Contract contract =
        new Contract(
            "a",
            Consistency.EXACT,
            OnFailure.DENY,
            Algorithm.LEAKY_BUCKET,
            List.of(new Size(13, 20), new Size(20, 20)),
            Duration.ofSeconds(3));
    assertThat(contract.grantBound().maxPermits(0)).isEqualTo(31 + 1);
    assertThat(contract.at(1).grantBound().maxPermits(0)).isEqualTo(20 + 1);
  }

  @Test
  void noMixedLimitRemembersTooLongToGrantAgainWithinAMinute() {
    for (long seed = 1; seed <= 400; seed += TargetedScenario.values().length) {
      for (Contract contract : TargetedScenario.MIXED_LIMITS.schedule(seed).contracts()) {
        for (int node = 1; node <= contract.sizes().size(); node++) {
          assertThat(contract.at(node).limit().memory())
              .isLessThanOrEqualTo(contract.period().multipliedBy(10));
        }
      }
    }
  }
}
