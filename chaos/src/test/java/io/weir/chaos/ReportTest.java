package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.Origin;
import io.weir.chaos.Answer.Verdict;
import io.weir.chaos.Contract.Algorithm;
import io.weir.chaos.Outcome.Availability;
import io.weir.chaos.Outcome.Finding;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How a violation is reported, and which consistency it counts against. */
class ReportTest {
  private static final Answer YES =
      new Answer("api", "ann", 2, Verdict.YES, Origin.STORE, 0, 1, 2, 3);
  private static final Violation TWICE = new Violation("api/ann", 1, 2, 10, 5, List.of(YES));

  private static Outcome outcome(List<Violation> broken, List<Answer> disorderly) {
    Consistency consistency = Consistency.STRICT;
    Schedule schedule = Schedule.of(7, List.of(consistency), true, true);
    Contract contract =
        new Contract("api", consistency, Algorithm.SLIDING_LOG, 5, Duration.ofSeconds(1));
    Finding finding =
        new Finding(
            contract,
            10,
            4,
            List.of(TWICE),
            broken,
            List.of(new Availability(Fault.NODE_KILLED, 40, 10)));
    return new Outcome(
        schedule, 0, false, List.of(finding), disorderly, List.of(), Optional.<String>empty());
  }

  @Test
  void reportsBrokenPromisesWithTheCommandThatRepeatsThem() {
    Report report = new Report();
    report.add(outcome(List.of(TWICE), List.of()));
    assertThat(report.broken()).hasSize(1);
    assertThat(report.broken().get(0))
        .startsWith("./test --chaos --seed 7 (seed 7: ")
        .contains("strict, ")
        .contains("api/ann: 10 yeses")
        .contains("5 are allowed: node 2 at");
    assertThat(report.toLines())
        .contains("| strict | 1 | 0 | 10 | 4 | 0 | 1 | 2.0 times |")
        .contains("| node killed | 25.0 % of 40 |")
        .contains(report.broken().get(0));
  }

  @Test
  void whatWasNotPromisedIsCountedAndNoMore() {
    Outcome outcome = outcome(List.of(), List.of());
    assertThat(outcome.isGood()).isTrue();
    Report report = new Report();
    report.add(outcome);
    assertThat(report.broken()).isEmpty();
    assertThat(report.toLines()).contains("| strict | 1 | 0 | 10 | 4 | 0 | 1 | 2.0 times |");
  }

  @Test
  void reportsNodesThatDoNotServeAgainWithTheCommandThatRepeatsIt() {
    Report report = new Report();
    report.add(outcome(List.of(), List.of()).withUnserved(Optional.of("node-1 is silent")));
    assertThat(report.broken()).hasSize(1);
    assertThat(report.broken().get(0))
        .startsWith("./test --chaos --seed 7 (seed 7: ")
        .endsWith(": node-1 is silent");
  }

  @Test
  void whatWasTriedIsCounted() {
    Report report = new Report();
    assertThat(report.yeses(Consistency.STRICT)).isZero();
    report.add(outcome(List.of(), List.of()));
    report.add(outcome(List.of(), List.of()));
    report.addRebuilt();
    assertThat(report.schedules()).isEqualTo(2);
    assertThat(report.yeses(Consistency.STRICT)).isEqualTo(20);
    assertThat(report.leased()).isEqualTo(8);
    assertThat(report.violations(Consistency.STRICT)).isEqualTo(2);
    assertThat(report.violations(Consistency.EXACT)).isZero();
    assertThat(report.toLines()).contains("Test clusters that failed and were rebuilt: 1");
  }

  @Test
  void reportsPromisesBrokenDuringTheWarmUp() {
    Report report = new Report();
    report.addBroken(outcome(List.of(), List.of()));
    assertThat(report.broken()).isEmpty();
    report.addBroken(outcome(List.of(TWICE), List.of()));
    assertThat(report.broken()).hasSize(1);
    assertThat(report.schedules()).isZero();
  }

  @Test
  void aScheduleInWhichNothingWasGrantedIsCounted() {
    Report report = new Report();
    Outcome some = outcome(List.of(), List.of());
    Contract contract = some.findings().get(0).contract();
    Finding none = new Finding(contract, 0, 0, List.of(), List.of(), List.of());
    report.add(some);
    report.add(
        new Outcome(
            some.schedule(),
            0,
            false,
            List.of(none),
            List.of(),
            List.of(),
            Optional.<String>empty()));
    assertThat(report.idle(Consistency.STRICT)).isEqualTo(1);
    assertThat(report.idle(Consistency.EXACT)).isZero();
    assertThat(report.toLines()).contains("Schedules in which strict granted nothing: 1");
  }

  @Test
  void aDecisionOutOfOrderIsNoGoodOutcome() {
    Outcome outcome = outcome(List.of(), List.of(YES));
    assertThat(outcome.isGood()).isFalse();
    Report report = new Report();
    report.add(outcome);
    assertThat(report.broken()).hasSize(1);
  }

  @Test
  void kindsThatWereLeftOutOrNeverHitAreNamed() {
    Report report = new Report();
    report.add(aimed(Aim.EVICTION, List.of()));
    report.add(aimed(Aim.EVICTION, List.of(TWICE)));
    report.add(aimed(Aim.NEWCOMER, List.of()));
    report.add(aimed(Aim.OUTAGE_START, List.of())); // Redis keeps its data
    assertThat(report.missed()).containsExactly(Aim.NEWCOMER);
    assertThat(report.untried())
        .containsExactly(
            Aim.MIXED_LIMITS,
            Aim.FORGED_ACKNOWLEDGEMENT,
            Aim.YOUNG_PROCESS,
            Aim.CLOCK_FORTH_AND_BACK,
            Aim.OTHER_HISTORY,
            Aim.SKEWED_CLOCK);
  }

  private static Outcome aimed(Aim aim, List<Violation> over) {
    Contract contract =
        new Contract("api", Consistency.EXACT, Algorithm.SLIDING_LOG, 5, Duration.ofSeconds(1));
    Finding finding = new Finding(contract, 10, 0, over, List.of(), List.of());
    return new Outcome(
        aim.schedule(1), 0, false, List.of(finding), List.of(), List.of(), Optional.empty());
  }
}
