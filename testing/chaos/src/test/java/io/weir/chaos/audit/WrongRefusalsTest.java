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

  private RecordedCheck add(Result result, long from, long to) {
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
    add(Result.ALLOWED, 0, 1);
    RecordedCheck refused = add(Result.REFUSED, 10, 11);
    assertThat(isWrong(TWO_A_SECOND, refused)).isTrue();
    add(Result.ALLOWED, 5, 6);
    assertThat(isWrong(TWO_A_SECOND, refused)).isFalse();
  }

  @Test
  void grantsAndMissingResponsesCountAlike() {
    RecordedCheck allowed = add(Result.ALLOWED, 0, 1);
    RecordedCheck none = add(Result.NONE, 10, 400);
    assertThat(isWrong(TWO_A_SECOND, allowed)).isFalse();
    assertThat(isWrong(TWO_A_SECOND, none)).isTrue();
    add(Result.ALLOWED, 399, 405); // may have been first
    assertThat(isWrong(TWO_A_SECOND, none)).isFalse();
  }

  @Test
  void forgetsGrantsOlderThanTheWindow() {
    add(Result.ALLOWED, 0, 1);
    add(Result.ALLOWED, 0, 1);
    assertThat(isWrong(TWO_A_SECOND, add(Result.REFUSED, 990, 1020))).isFalse();
    assertThat(isWrong(TWO_A_SECOND, add(Result.REFUSED, 1010, 1020))).isTrue();
  }

  @Test
  void refusalAfterGrantsOfOtherNodesIsNotWrong() {
    log.add(new RecordedCheck("api", "bob", 1, Result.ALLOWED, Origin.STORE, 0, 0, 1, 1));
    log.add(new RecordedCheck("web", "ann", 1, Result.ALLOWED, Origin.STORE, 0, 0, 1, 1));
    add(Result.ALLOWED, 0, 1);
    assertThat(isWrong(TWO_A_SECOND, add(Result.REFUSED, 2, 3))).isTrue();
  }

  @Test
  void bucketRefillsGradually() {
    GrantBound grantBound = GrantBound.tokenBucket(10, Duration.ofSeconds(1));
    for (int i = 0; i < 10; i++) {
      add(Result.ALLOWED, 0, 1);
    }
    assertThat(isWrong(grantBound, add(Result.REFUSED, 90, 91))).isFalse();
    assertThat(isWrong(grantBound, add(Result.REFUSED, 105, 106))).isTrue();
  }
}
