package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whether it is in doubt that Redis has done what a failed call asked for. */
class CallTest {
  private static final Failure LATE = new Failure(Failure.Kind.TIMEOUT, "late");

  private final List<Failure> failures = new ArrayList<>();
  private final Call call =
      new Call(Script.of("probe"), new byte[][] {{1}}, new byte[0][]) {
        @Override
        void onAnswer(long[] reply) {}

        @Override
        void onFailure(Failure failure) {
          failures.add(failure);
        }
      };

  @Test
  void whatWasNotWrittenWasNotDone() {
    call.fail(LATE);
    assertThat(failures).containsExactly(LATE);
    assertThat(call.departs()).as("nor is it from now on").isFalse();
  }

  @Test
  void whatWasWrittenMayHaveBeenDone() {
    assertThat(call.departs()).isTrue();
    call.fail(LATE);
    assertThat(failures).containsExactly(new Failure(Failure.Kind.TIMEOUT, "late", true));
  }

  @Test
  void whatRedisHasRefusedWasNotDone() {
    assertThat(call.departs()).isTrue();
    call.returned();
    call.fail(LATE);
    assertThat(failures).containsExactly(LATE);
  }

  @Test
  void aSecondWayIsInDoubtAgain() {
    assertThat(call.departs()).isTrue();
    call.returned();
    Call again = Again.withText(call);
    assertThat(again.departs()).isTrue();
    again.fail(LATE);
    assertThat(failures).extracting(Failure::isInDoubt).containsExactly(true);
  }

  /** A breaker may tell others why an earlier call failed. */
  @Test
  void aDoubtIsOfOneCallAlone() {
    call.fail(LATE.inDoubt(true));
    assertThat(failures).containsExactly(LATE);
  }
}
