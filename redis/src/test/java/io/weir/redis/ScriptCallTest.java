package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whether Redis may have executed a failed call. */
class ScriptCallTest {
  private static final RedisFailure LATE = new RedisFailure(RedisFailure.Kind.TIMEOUT, "late");

  private final List<RedisFailure> redisFailures = new ArrayList<>();
  private final ScriptCall scriptCall =
      new ScriptCall(Script.of("probe"), new byte[][] {{1}}, new byte[0][]) {
        @Override
        void onReply(long[] reply) {}

        @Override
        void onFailure(RedisFailure redisFailure) {
          redisFailures.add(redisFailure);
        }
      };

  @Test
  void whatWasNotWrittenWasNotDone() {
    scriptCall.fail(LATE);
    assertThat(redisFailures).containsExactly(LATE);
    assertThat(scriptCall.departs()).as("nor is it from now on").isFalse();
  }

  @Test
  void whatWasWrittenMayHaveBeenDone() {
    assertThat(scriptCall.departs()).isTrue();
    scriptCall.fail(LATE);
    assertThat(redisFailures)
        .containsExactly(new RedisFailure(RedisFailure.Kind.TIMEOUT, "late", true));
  }

  @Test
  void whatRedisHasRefusedWasNotDone() {
    assertThat(scriptCall.departs()).isTrue();
    scriptCall.returned();
    scriptCall.fail(LATE);
    assertThat(redisFailures).containsExactly(LATE);
  }

  @Test
  void retriedCallThatTimesOutIsInDoubt() {
    assertThat(scriptCall.departs()).isTrue();
    scriptCall.returned();
    ScriptCall again = RetriedCall.withText(scriptCall);
    assertThat(again.departs()).isTrue();
    again.fail(LATE);
    assertThat(redisFailures).extracting(RedisFailure::isInDoubt).containsExactly(true);
  }

  /** A breaker may report to other calls why an earlier one failed. */
  @Test
  void unsentCallIsNotInDoubt() {
    scriptCall.fail(LATE.inDoubt(true));
    assertThat(redisFailures).containsExactly(LATE);
  }
}
