package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever comes as a reply, whoever waits for it hears of it. */
class ExchangeTest {
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aReplyThatIsNoneIsAFailure(boolean isOfCalendar) {
    Limit limit = isOfCalendar ? Limit.fixedWindow(3).perMonth() : Limit.tokenBucket(3).perHour();
    Plan plan = Plan.of("p", "n", List.of(limit));
    List<Failure.Kind> failures = new ArrayList<>();
    Exchange exchange =
        new Exchange(null, plan, "key", () -> plan.take(1, 1, -1)) {
          @Override
          void answered(long[] reply) {
            plan.outcome(1, reply).decision(0);
          }

          @Override
          void onFailure(Failure failure) {
            failures.add(failure.kind());
          }
        };
    exchange.answer(new long[0]);
    assertThat(failures).containsExactly(Failure.Kind.OTHER);
  }
}
