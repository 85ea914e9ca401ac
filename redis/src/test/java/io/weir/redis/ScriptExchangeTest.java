package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever comes as a reply, the waiting call ends. */
class ScriptExchangeTest {
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aReplyThatIsNoneIsAFailure(boolean isOfCalendar) {
    Limit limit = isOfCalendar ? Limit.fixedWindow(3).perMonth() : Limit.tokenBucket(3).perHour();
    ScriptPlan scriptPlan = ScriptPlan.of("p", "n", List.of(limit));
    List<RedisFailure.Kind> failures = new ArrayList<>();
    ScriptExchange scriptExchange =
        new ScriptExchange(null, scriptPlan, "key", () -> scriptPlan.take(1, 1, -1)) {
          @Override
          void handleReply(long[] reply) {
            scriptPlan.outcome(1, reply).decision(0);
          }

          @Override
          void onFailure(RedisFailure redisFailure) {
            failures.add(redisFailure.kind());
          }
        };
    scriptExchange.complete(new long[0]);
    assertThat(failures).containsExactly(RedisFailure.Kind.OTHER);
  }
}
