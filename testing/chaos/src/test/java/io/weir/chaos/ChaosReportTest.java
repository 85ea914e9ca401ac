package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.Origin;
import io.weir.chaos.ScheduleResult.Availability;
import io.weir.chaos.ScheduleResult.ContractResult;
import io.weir.chaos.audit.Contract;
import io.weir.chaos.audit.Contract.Algorithm;
import io.weir.chaos.audit.RecordedCheck;
import io.weir.chaos.audit.RecordedCheck.Result;
import io.weir.chaos.audit.Violation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** How a violation is reported, and which consistency it counts against. */
class ChaosReportTest {
  private static final RecordedCheck ALLOWED =
      new RecordedCheck("api", "ann", 2, Result.ALLOWED, Origin.STORE, 0, 1, 2, 3);
  private static final Violation TWICE = new Violation("api/ann", 1, 2, 10, 5, List.of(ALLOWED));

  private static ScheduleResult outcome(List<Violation> broken, List<RecordedCheck> disorderly) {
    Consistency consistency = Consistency.STRICT;
    Schedule schedule = Schedule.of(7, List.of(consistency), true, true);
    Contract contract =
        new Contract("api", consistency, Algorithm.SLIDING_LOG, 5, Duration.ofSeconds(1));
    ContractResult contractResult =
        new ContractResult(
            contract,
            10,
            4,
            List.of(TWICE),
            broken,
            List.of(new Availability(InjectedFault.NODE_KILLED, 40, 10)));
    return new ScheduleResult(
        schedule,
        0,
        false,
        List.of(contractResult),
        disorderly,
        List.of(),
        Optional.<String>empty());
  }

  @Test
  void reportsBrokenPromisesWithTheCommandThatRepeatsThem() {
    ChaosReport chaosReport = new ChaosReport();
    chaosReport.add(outcome(List.of(TWICE), List.of()));
    assertThat(chaosReport.broken()).hasSize(1);
    assertThat(chaosReport.broken().get(0))
        .startsWith("./test --chaos --seed 7 (seed 7: ")
        .contains("strict, ")
        .contains("api/ann: 10 yeses")
        .contains("5 are allowed: node 2 at");
    assertThat(chaosReport.toLines())
        .contains("| strict | 1 | 0 | 10 | 4 | 0 | 1 | 2.0 times |")
        .contains("| node killed | 25.0 % of 40 |")
        .contains(chaosReport.broken().get(0));
  }

  @Test
  void countsUnpromisedGrantsWithoutFailing() {
    ScheduleResult scheduleResult = outcome(List.of(), List.of());
    assertThat(scheduleResult.isGood()).isTrue();
    ChaosReport chaosReport = new ChaosReport();
    chaosReport.add(scheduleResult);
    assertThat(chaosReport.broken()).isEmpty();
    assertThat(chaosReport.toLines()).contains("| strict | 1 | 0 | 10 | 4 | 0 | 1 | 2.0 times |");
  }

  @Test
  void reportsNodesThatDoNotServeAgainWithTheCommandThatRepeatsIt() {
    ChaosReport chaosReport = new ChaosReport();
    chaosReport.add(outcome(List.of(), List.of()).withUnserved(Optional.of("node-1 is silent")));
    assertThat(chaosReport.broken()).hasSize(1);
    assertThat(chaosReport.broken().get(0))
        .startsWith("./test --chaos --seed 7 (seed 7: ")
        .endsWith(": node-1 is silent");
  }

  @Test
  void countsSchedulesAndGrants() {
    ChaosReport chaosReport = new ChaosReport();
    assertThat(chaosReport.grants(Consistency.STRICT)).isZero();
    chaosReport.add(outcome(List.of(), List.of()));
    chaosReport.add(outcome(List.of(), List.of()));
    chaosReport.addRebuilt();
    assertThat(chaosReport.schedules()).isEqualTo(2);
    assertThat(chaosReport.grants(Consistency.STRICT)).isEqualTo(20);
    assertThat(chaosReport.leased()).isEqualTo(8);
    assertThat(chaosReport.violations(Consistency.STRICT)).isEqualTo(2);
    assertThat(chaosReport.violations(Consistency.EXACT)).isZero();
    assertThat(chaosReport.toLines()).contains("Test clusters that failed and were rebuilt: 1");
  }

  @Test
  void reportsPromisesBrokenDuringTheWarmUp() {
    ChaosReport chaosReport = new ChaosReport();
    chaosReport.addBroken(outcome(List.of(), List.of()));
    assertThat(chaosReport.broken()).isEmpty();
    chaosReport.addBroken(outcome(List.of(TWICE), List.of()));
    assertThat(chaosReport.broken()).hasSize(1);
    assertThat(chaosReport.schedules()).isZero();
  }

  @Test
  void countsSchedulesWithoutGrants() {
    ChaosReport chaosReport = new ChaosReport();
    ScheduleResult some = outcome(List.of(), List.of());
    Contract contract = some.contractResults().get(0).contract();
    ContractResult none = new ContractResult(contract, 0, 0, List.of(), List.of(), List.of());
    chaosReport.add(some);
    chaosReport.add(
        new ScheduleResult(
            some.schedule(),
            0,
            false,
            List.of(none),
            List.of(),
            List.of(),
            Optional.<String>empty()));
    assertThat(chaosReport.idle(Consistency.STRICT)).isEqualTo(1);
    assertThat(chaosReport.idle(Consistency.EXACT)).isZero();
    assertThat(chaosReport.toLines()).contains("Schedules in which strict granted nothing: 1");
  }

  @Test
  void decisionOutOfOrderIsNotAGoodOutcome() {
    ScheduleResult scheduleResult = outcome(List.of(), List.of(ALLOWED));
    assertThat(scheduleResult.isGood()).isFalse();
    ChaosReport chaosReport = new ChaosReport();
    chaosReport.add(scheduleResult);
    assertThat(chaosReport.broken()).hasSize(1);
  }

  @Test
  void namesSkippedAndIneffectiveKinds() {
    ChaosReport chaosReport = new ChaosReport();
    chaosReport.add(aimed(TargetedScenario.EVICTION, List.of()));
    chaosReport.add(aimed(TargetedScenario.EVICTION, List.of(TWICE)));
    chaosReport.add(aimed(TargetedScenario.NEWCOMER, List.of()));
    chaosReport.add(aimed(TargetedScenario.OUTAGE_START, List.of())); // Redis keeps its data
    assertThat(chaosReport.missed()).containsExactly(TargetedScenario.NEWCOMER);
    assertThat(chaosReport.untried())
        .containsExactly(
            TargetedScenario.MIXED_LIMITS,
            TargetedScenario.FORGED_ACKNOWLEDGEMENT,
            TargetedScenario.YOUNG_PROCESS,
            TargetedScenario.CLOCK_FORTH_AND_BACK,
            TargetedScenario.OTHER_HISTORY,
            TargetedScenario.SKEWED_CLOCK);
  }

  private static ScheduleResult aimed(TargetedScenario targetedScenario, List<Violation> over) {
    Contract contract =
        new Contract("api", Consistency.EXACT, Algorithm.SLIDING_LOG, 5, Duration.ofSeconds(1));
    ContractResult contractResult = new ContractResult(contract, 10, 0, over, List.of(), List.of());
    return new ScheduleResult(
        targetedScenario.schedule(1),
        0,
        false,
        List.of(contractResult),
        List.of(),
        List.of(),
        Optional.empty());
  }
}
