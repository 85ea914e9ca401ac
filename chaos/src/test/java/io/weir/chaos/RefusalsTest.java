package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Origin;
import io.weir.chaos.Answer.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which noes were wrong. */
class RefusalsTest {
  private static final long MILLI = 1_000_000;
  private static final Bound TWO_A_SECOND = Bound.slidingLog(2, Duration.ofSeconds(1));

  private final List<Answer> log = new ArrayList<>();

  private Answer answer(Verdict verdict, long from, long to) {
    Answer answer =
        new Answer(
            "api",
            "ann",
            1,
            verdict,
            Origin.STORE,
            from * MILLI,
            from * MILLI,
            to * MILLI,
            to * MILLI);
    log.add(answer);
    return answer;
  }

  private boolean isWrong(Bound bound, Answer answer) {
    return new Refusals(bound, log).isWrong(answer);
  }

  @Test
  void findsWrongRefusalsBelowTheLimit() {
    answer(Verdict.YES, 0, 1);
    Answer no = answer(Verdict.NO, 10, 11);
    assertThat(isWrong(TWO_A_SECOND, no)).isTrue();
    answer(Verdict.YES, 5, 6);
    assertThat(isWrong(TWO_A_SECOND, no)).isFalse();
  }

  @Test
  void aYesOrAnAnswerThatDidNotComeIsJudgedTheSameWay() {
    Answer yes = answer(Verdict.YES, 0, 1);
    Answer none = answer(Verdict.NONE, 10, 400);
    assertThat(isWrong(TWO_A_SECOND, yes)).isFalse();
    assertThat(isWrong(TWO_A_SECOND, none)).isTrue();
    answer(Verdict.YES, 399, 405); // may have been first
    assertThat(isWrong(TWO_A_SECOND, none)).isFalse();
  }

  @Test
  void whatIsOlderThanTheWindowIsForgotten() {
    answer(Verdict.YES, 0, 1);
    answer(Verdict.YES, 0, 1);
    assertThat(isWrong(TWO_A_SECOND, answer(Verdict.NO, 990, 1020))).isFalse();
    assertThat(isWrong(TWO_A_SECOND, answer(Verdict.NO, 1010, 1020))).isTrue();
  }

  @Test
  void whatOthersSpendIsNotHeldAgainstIt() {
    log.add(new Answer("api", "bob", 1, Verdict.YES, Origin.STORE, 0, 0, 1, 1));
    log.add(new Answer("web", "ann", 1, Verdict.YES, Origin.STORE, 0, 0, 1, 1));
    answer(Verdict.YES, 0, 1);
    assertThat(isWrong(TWO_A_SECOND, answer(Verdict.NO, 2, 3))).isTrue();
  }

  @Test
  void aBucketFillsAgainBitByBit() {
    Bound bound = Bound.tokenBucket(10, Duration.ofSeconds(1));
    for (int i = 0; i < 10; i++) {
      answer(Verdict.YES, 0, 1);
    }
    assertThat(isWrong(bound, answer(Verdict.NO, 90, 91))).isFalse();
    assertThat(isWrong(bound, answer(Verdict.NO, 105, 106))).isTrue();
  }
}
