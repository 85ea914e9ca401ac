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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is told of a violation, and of whom it is held against. */
class ReportTest {
  private static final Answer YES = new Answer("api", "ann", 2, Verdict.YES, Origin.STORE, 0, 1, 2, 3);
  private static final Violation TWICE = new Violation("api/ann", 1, 2, 10, 5, List.of(YES));

  private static Outcome outcome(Consistency consistency, boolean kept, List<Answer> disorderly) {
    Schedule schedule = Schedule.of(7, List.of(consistency), true, true);
    Contract contract =
        new Contract("api", consistency, Algorithm.SLIDING_LOG, 5, Duration.ofSeconds(1));
    Finding finding =
        new Finding(
            contract, 10, 4, List.of(TWICE), List.of(new Availability(Fault.NODE_KILLED, 40, 10)));
    return new Outcome(schedule, 0, kept, List.of(finding), disorderly);
  }

  @ParameterizedTest
  @CsvSource({
    "STRICT, true, true",
    "STRICT, false, true",
    "EXACT, true, true",
    "EXACT, false, false",
    "LEASED, true, true",
    "LEASED, false, false",
    "EVENTUAL, true, false",
    "EVENTUAL, false, false"
  })
  void aPromiseIsBrokenWhereItWasMade(Consistency consistency, boolean kept, boolean broken) {
    Outcome outcome = outcome(consistency, kept, List.of());
    assertThat(outcome.isGood()).isEqualTo(!broken);
    assertThat(outcome.broken()).hasSize(broken ? 1 : 0);
  }

  @Test
  void aBrokenPromiseIsToldWithTheCommandThatShowsItAgain() {
    Report report = new Report();
    report.add(outcome(Consistency.STRICT, false, List.of()));
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
  void aDecisionOutOfOrderIsNoGoodOutcome() {
    Outcome outcome = outcome(Consistency.EXACT, false, List.of(YES));
    assertThat(outcome.isGood()).isFalse();
    Report report = new Report();
    report.add(outcome);
    assertThat(report.broken()).hasSize(1);
  }
}
