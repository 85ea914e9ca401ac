package io.weir.chaos.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Consistency;
import io.weir.Origin;
import io.weir.chaos.audit.Contract.Algorithm;
import io.weir.chaos.audit.RecordedCheck.Result;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which violations break which promise. */
class GuaranteeTest {
  /** Five a second are allowed. */
  @ParameterizedTest
  @CsvSource({
    "STRICT,   true,   5, false",
    "STRICT,   true,   6, true",
    "STRICT,   false,  6, true",
    "EXACT,    true,   6, true",
    "EXACT,    false,  6, false",
    "LEASED,   true,   6, true",
    "LEASED,   false,  6, false",
    "LEASED strictly, true,  5, false",
    "LEASED strictly, false, 6, true",
    "EVENTUAL, true,  15, false",
    "EVENTUAL, true,  16, true",
    "EVENTUAL, false, 16, true"
  })
  void reportsViolationOnlyWhereTheGuaranteeHolds(
      String promise, boolean keptData, int grants, boolean broken) {
    String[] words = promise.split(" ", -1);
    Contract plain =
        new Contract(
            "api", Consistency.valueOf(words[0]), Algorithm.SLIDING_LOG, 5, Duration.ofSeconds(1));
    Contract contract = words.length > 1 ? plain.strictly() : plain;
    List<RecordedCheck> log =
        LongStream.range(0, grants)
            .mapToObj(
                i -> new RecordedCheck("api", "ann", 1, Result.ALLOWED, Origin.STORE, i, i, i, i))
            .toList();
    assertThat(new Guarantee(contract, keptData, 3).brokenBy(log)).hasSize(broken ? 1 : 0);
  }

  /** Five a second are allowed, ten across an edge, and five more for each step back. */
  @ParameterizedTest
  @CsvSource({
    "FIXED_WINDOW,   0, 10, false",
    "FIXED_WINDOW,   0, 11, true",
    "FIXED_WINDOW,   1, 15, false",
    "FIXED_WINDOW,   1, 16, true",
    "SLIDING_WINDOW, 1, 16, true",
    "SLIDING_EPOCHS, 1, 16, true",
    "SLIDING_LOG,    1, 5,  false",
    "SLIDING_LOG,    1, 6,  true",
    "TOKEN_BUCKET,   1, 6,  true"
  })
  void windowsHaveOneMoreEdgeForEachStepBack(
      Algorithm algorithm, int stepsBack, int grants, boolean broken) {
    Contract contract = new Contract("api", Consistency.EXACT, algorithm, 5, Duration.ofSeconds(1));
    List<RecordedCheck> log =
        LongStream.range(0, grants)
            .mapToObj(
                i -> new RecordedCheck("api", "ann", 1, Result.ALLOWED, Origin.STORE, i, i, i, i))
            .toList();
    assertThat(new Guarantee(contract, true, 3, stepsBack).brokenBy(log)).hasSize(broken ? 1 : 0);
  }
}
