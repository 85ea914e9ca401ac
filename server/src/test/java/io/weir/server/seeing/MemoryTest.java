package io.weir.server.seeing;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.Origin;
import io.weir.Standing;
import io.weir.server.Outcome;
import io.weir.server.RuleTally;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is known of callers stays small, however many there are and whatever they send. */
@Tag("slow")
class MemoryTest {
  private static final int RULES = 10_000;
  private static final int KEYS = 1_000_000;
  private static final Limit LIMIT = Limit.fixedWindow(10).perHour();

  private static Decision decision(long left, long waitNanos) {
    return Decision.of(
        1, Duration.ZERO, List.of(Standing.of(LIMIT, left, waitNanos, 1, 1)), 0, Origin.MEMORY);
  }

  private static long used() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  /** Each rule has a hundred callers, all of them refused and all of them near the limit. */
  @ParameterizedTest
  @CsvSource({"203.0.113., 40", "ключ-, 128", "x, 400"})
  void tenThousandRulesAndAMillionKeys(String prefix, int length) {
    Seen seen =
        new Seen(
            IntStream.range(0, RULES)
                .mapToObj(i -> "{ name: r" + i + ", per: user, limit: 9 per hour }")
                .collect(Collectors.joining(", ", "rules: [ ", " ]")));
    List<RuleTally> rules = seen.arbiter.tally().rules(seen.arbiter::rules);
    Decision refused = decision(0, 1_000);
    Decision near = decision(1, 0);
    String filling = prefix.repeat(length);
    seen.watch.watchman().goRound();
    long before = used();

    for (int i = 0; i < KEYS; i++) {
      String key = i + filling.substring(0, length - 7);
      RuleTally rule = rules.get(i % RULES);
      seen.watch.witness().saw(rule, key, Outcome.DENIED, refused);
      seen.watch.witness().saw(rule, key, Outcome.ALLOWED, near);
      if (i % 4_000 == 3_999) {
        seen.pass(Duration.ofMillis(500)); // two rounds
      }
    }

    Callers callers = seen.watch.callers();
    long grown = used() - before;
    assertThat(callers.missed()).isZero();
    assertThat(callers.sampling()).isEqualTo(1);
    assertThat(grown).isLessThan(42L << 20);
    assertThat(callers.bytes()).isBetween(grown / 3, grown * 3);
    assertThat(seen.told(() -> callers.top(Kind.THROTTLED, Window.HOUR, null, 1000))).hasSize(1000);
    assertThat(seen.told(() -> callers.census("r77")).callers()).isBetween(60L, 140L);
  }
}
