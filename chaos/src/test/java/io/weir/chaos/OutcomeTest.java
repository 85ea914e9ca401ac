package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Consistency;
import io.weir.chaos.Contract.Algorithm;
import io.weir.chaos.Outcome.Finding;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What counts, and what is to be tried again. */
class OutcomeTest {
  private static final Schedule KEEPING = Schedule.of(2, List.of(Consistency.STRICT), true, true);
  private static final Schedule LOSING = Schedule.of(1, List.of(Consistency.STRICT), true, true);
  private static final Optional<Throwable> TROUBLE = Optional.of(new AssertionError("no replica"));

  private static Outcome outcome(Schedule schedule, boolean keptData, Violation... broken) {
    Contract contract =
        new Contract("api", Consistency.STRICT, Algorithm.SLIDING_LOG, 5, Duration.ofSeconds(1));
    Finding finding = new Finding(contract, 5, 0, List.of(broken), List.of(broken), List.of());
    return new Outcome(
        schedule, 0, keptData, List.of(finding), List.of(), List.of(), Optional.<String>empty());
  }

  @Test
  void anErrorInPlaceOfADecisionIsFound() {
    Outcome good = outcome(KEEPING, true);
    Outcome bad =
        new Outcome(
            good.schedule(),
            0,
            true,
            good.findings(),
            List.of(),
            List.of("node-1: why"),
            Optional.empty());
    assertThat(bad.isGood()).isFalse();
    assertThat(bad.withUnserved(Optional.empty()).errors()).containsExactly("node-1: why");
    Report report = new Report();
    report.add(bad);
    assertThat(report.broken()).singleElement().asString().endsWith(": node-1: why");
  }

  @Test
  void whatWentAsPlannedCounts() {
    for (Outcome good : List.of(outcome(KEEPING, true), outcome(LOSING, false))) {
      assertThat(good.unlessSpoilt(Optional.empty())).isSameAs(good);
    }
  }

  @Test
  void whereSomethingCouldNotBeDoneItIsTriedAgain() {
    assertThatThrownBy(() -> outcome(LOSING, false).unlessSpoilt(TROUBLE))
        .isInstanceOf(StageFailure.class)
        .hasMessageContaining("no replica");
  }

  @Test
  void whereDataWereLostThatWereToBeKeptItIsTriedAgain() {
    assertThatThrownBy(() -> outcome(KEEPING, false).unlessSpoilt(Optional.empty()))
        .isInstanceOf(StageFailure.class);
  }

  @Test
  void whatIsFoundOnASpoiltStageIsFoundAllTheSame() {
    Outcome broken = outcome(KEEPING, false, new Violation("api/ann", 1, 2, 10, 5, List.of()));
    assertThat(broken.isGood()).isFalse();
    assertThat(broken.unlessSpoilt(TROUBLE)).isSameAs(broken);
  }

  @Test
  void aNodeThatDoesNotServeAgainIsFoundAllTheSame() {
    Outcome unserved = outcome(LOSING, false).withUnserved(Optional.of("node-1 serves"));
    assertThat(unserved.isGood()).isFalse();
    assertThat(unserved.unlessSpoilt(TROUBLE)).isSameAs(unserved);
  }
}
