package io.weir.chaos.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Origin;
import io.weir.chaos.audit.RecordedCheck.Result;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which noes were wrong. */
class WrongRefusalsTest {
  private static final long MILLI = 1_000_000;
  private static final GrantBound TWO_A_SECOND = GrantBound.slidingLog(2, Duration.ofSeconds(1));

  private final List<RecordedCheck> log = new ArrayList<>();

  private RecordedCheck answer(Result result, long from, long to) {
    RecordedCheck recordedCheck =
        new RecordedCheck(
            "api",
            "ann",
            1,
            result,
            Origin.STORE,
            from * MILLI,
            from * MILLI,
            to * MILLI,
            to * MILLI);
    log.add(recordedCheck);
    return recordedCheck;
  }

  private boolean isWrong(GrantBound grantBound, RecordedCheck recordedCheck) {
    return new WrongRefusals(grantBound, log).isWrong(recordedCheck);
  }

  @Test
  void findsWrongRefusalsBelowTheLimit() {
    answer(Result.YES, 0, 1);
    RecordedCheck no = answer(Result.NO, 10, 11);
    assertThat(isWrong(TWO_A_SECOND, no)).isTrue();
    answer(Result.YES, 5, 6);
    assertThat(isWrong(TWO_A_SECOND, no)).isFalse();
  }

  @Test
  void grantsAndMissingResponsesCountAlike() {
    RecordedCheck yes = answer(Result.YES, 0, 1);
    RecordedCheck none = answer(Result.NONE, 10, 400);
    assertThat(isWrong(TWO_A_SECOND, yes)).isFalse();
    assertThat(isWrong(TWO_A_SECOND, none)).isTrue();
    answer(Result.YES, 399, 405); // may have been first
    assertThat(isWrong(TWO_A_SECOND, none)).isFalse();
  }

  @Test
  void forgetsGrantsOlderThanTheWindow() {
    answer(Result.YES, 0, 1);
    answer(Result.YES, 0, 1);
    assertThat(isWrong(TWO_A_SECOND, answer(Result.NO, 990, 1020))).isFalse();
    assertThat(isWrong(TWO_A_SECOND, answer(Result.NO, 1010, 1020))).isTrue();
  }

  @Test
  void refusalAfterGrantsOfOtherNodesIsNotWrong() {
    log.add(new RecordedCheck("api", "bob", 1, Result.YES, Origin.STORE, 0, 0, 1, 1));
    log.add(new RecordedCheck("web", "ann", 1, Result.YES, Origin.STORE, 0, 0, 1, 1));
    answer(Result.YES, 0, 1);
    assertThat(isWrong(TWO_A_SECOND, answer(Result.NO, 2, 3))).isTrue();
  }

  @Test
  void bucketRefillsGradually() {
    GrantBound grantBound = GrantBound.tokenBucket(10, Duration.ofSeconds(1));
    for (int i = 0; i < 10; i++) {
      answer(Result.YES, 0, 1);
    }
    assertThat(isWrong(grantBound, answer(Result.NO, 90, 91))).isFalse();
    assertThat(isWrong(grantBound, answer(Result.NO, 105, 106))).isTrue();
  }
}
