package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Consistency;
import io.weir.chaos.ScheduleResult.ContractResult;
import io.weir.chaos.audit.Contract;
import io.weir.chaos.audit.Contract.Algorithm;
import io.weir.chaos.audit.Violation;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What counts, and what is to be tried again. */
class ScheduleResultTest {
  private static final Schedule KEEPING = Schedule.of(2, List.of(Consistency.STRICT), true, true);
  private static final Schedule LOSING = Schedule.of(1, List.of(Consistency.STRICT), true, true);
  private static final Optional<Throwable> TROUBLE = Optional.of(new AssertionError("no replica"));

  private static ScheduleResult outcome(Schedule schedule, boolean keptData, Violation... broken) {
    Contract contract =
        new Contract("api", Consistency.STRICT, Algorithm.SLIDING_LOG, 5, Duration.ofSeconds(1));
    ContractResult contractResult =
        new ContractResult(contract, 5, 0, List.of(broken), List.of(broken), List.of());
    return new ScheduleResult(
        schedule,
        0,
        keptData,
        List.of(contractResult),
        List.of(),
        List.of(),
        Optional.<String>empty());
  }

  @Test
  void reportsErrorInPlaceOfADecision() {
    ScheduleResult good = outcome(KEEPING, true);
    ScheduleResult bad =
        new ScheduleResult(
            good.schedule(),
            0,
            true,
            good.contractResults(),
            List.of(),
            List.of("node-1: why"),
            Optional.empty());
    assertThat(bad.isGood()).isFalse();
    assertThat(bad.withUnserved(Optional.empty()).errors()).containsExactly("node-1: why");
    ChaosReport chaosReport = new ChaosReport();
    chaosReport.add(bad);
    assertThat(chaosReport.broken()).singleElement().asString().endsWith(": node-1: why");
  }

  @Test
  void countsScheduleThatWentAsPlanned() {
    for (ScheduleResult good : List.of(outcome(KEEPING, true), outcome(LOSING, false))) {
      assertThat(good.unlessSpoilt(Optional.empty())).isSameAs(good);
    }
  }

  @Test
  void retriesScheduleIfAStepFailed() {
    assertThatThrownBy(() -> outcome(LOSING, false).unlessSpoilt(TROUBLE))
        .isInstanceOf(TestClusterFailure.class)
        .hasMessageContaining("no replica");
  }

  @Test
  void retriesScheduleIfDataWasLostUnexpectedly() {
    assertThatThrownBy(() -> outcome(KEEPING, false).unlessSpoilt(Optional.empty()))
        .isInstanceOf(TestClusterFailure.class);
  }

  @Test
  void reportsViolationsEvenIfAStepFailed() {
    ScheduleResult broken =
        outcome(KEEPING, false, new Violation("api/ann", 1, 2, 10, 5, List.of()));
    assertThat(broken.isGood()).isFalse();
    assertThat(broken.unlessSpoilt(TROUBLE)).isSameAs(broken);
  }

  @Test
  void reportsNodeThatDoesNotServeAgainEvenIfAStepFailed() {
    ScheduleResult unserved = outcome(LOSING, false).withUnserved(Optional.of("node-1 serves"));
    assertThat(unserved.isGood()).isFalse();
    assertThat(unserved.unlessSpoilt(TROUBLE)).isSameAs(unserved);
  }
}
