package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Decisions and limit statuses as values: which limit decided, and what is returned. */
class DecisionTest {
  private static final Limit A = Limit.tokenBucket(10).perSecond();
  private static final Limit B = Limit.slidingLog(10).perMinute();
  private static final long NEVER = -1;

  private static LimitStatus status(Limit limit, long remaining, long wait) {
    return wait == NEVER
        ? LimitStatus.neverFits(limit, remaining, 5, 7)
        : LimitStatus.of(limit, remaining, wait, 5, 7);
  }

  private static Decision decision(LimitStatus... standings) {
    return Decision.of(2, Duration.ZERO, List.of(standings), 1000, Origin.MEMORY);
  }

  @ParameterizedTest(name = "left {0} and {2}, wait {1} and {3}: {4} decides")
  @CsvSource({
    // remaining and wait of A, of B
    "5,   0, 3,   0, B",
    "3,   0, 5,   0, A",
    "3,   0, 3,   0, A",
    "0,   0, 9,   1, B",
    "0,   1, 9,   0, A",
    "0,   4, 0,   9, B",
    "0,   9, 0,   4, A",
    "0,   9, 0,   9, A",
    "0,   9, 0,  -1, B",
    "0,  -1, 0,   9, A",
    "0,  -1, 0,  -1, A",
  })
  void longestWaitOrFewestPermitsLeftDecides(
      long leftOfA, long waitOfA, long leftOfB, long waitOfB, char decider) {
    Decision decision = decision(status(A, leftOfA, waitOfA), status(B, leftOfB, waitOfB));
    Limit expected = decider == 'A' ? A : B;
    long wait = decider == 'A' ? waitOfA : waitOfB;
    assertThat(decision.limit()).isEqualTo(expected);
    assertThat(decision.deciding().limit()).isEqualTo(expected);
    assertThat(decision.allowed()).isEqualTo(waitOfA == 0 && waitOfB == 0);
    assertThat(decision.remaining()).isEqualTo(Math.min(leftOfA, leftOfB));
    assertThat(decision.neverFits()).isEqualTo(wait == NEVER);
    if (wait == NEVER) {
      assertThat(decision.retryAfter()).isEmpty();
    } else {
      assertThat(decision.retryAfter()).contains(Duration.ofNanos(wait));
    }
  }

  @Test
  void returnsWhatItWasMadeOf() {
    Decision decision =
        Decision.of(
            2, Duration.ofMillis(3), List.of(status(A, 4, 0)), 1_790_000_000_123L, Origin.LEASE);
    assertThat(decision.cost()).isEqualTo(2);
    assertThat(decision.delay()).isEqualTo(Duration.ofMillis(3));
    assertThat(decision.resetAfter()).isEqualTo(Duration.ofNanos(7));
    assertThat(decision.standings()).containsExactly(status(A, 4, 0));
    assertThat(decision.time()).isEqualTo(Instant.ofEpochMilli(1_790_000_000_123L));
    assertThat(decision.origin()).isEqualTo(Origin.LEASE);
  }

  @Test
  void decisionsAreValues() {
    Decision one = decision(status(A, 4, 0));
    assertThat(one).isEqualTo(decision(status(A, 4, 0)));
    assertThat(one).hasSameHashCodeAs(decision(status(A, 4, 0)));
    assertThat(one)
        .isNotEqualTo(decision(status(A, 3, 0)))
        .isNotEqualTo(decision(status(A, 4, 1)))
        .isNotEqualTo(decision(status(B, 4, 0)))
        .isNotEqualTo(Decision.of(1, Duration.ZERO, one.standings(), 1000, Origin.MEMORY))
        .isNotEqualTo(Decision.of(2, Duration.ofNanos(1), one.standings(), 1000, Origin.MEMORY))
        .isNotEqualTo(Decision.of(2, Duration.ZERO, one.standings(), 1001, Origin.MEMORY))
        .isNotEqualTo(Decision.of(2, Duration.ZERO, one.standings(), 1000, Origin.STORE))
        .isNotEqualTo("a decision");
    assertThat(status(A, 4, 0))
        .isNotEqualTo(LimitStatus.of(A, 4, 0, 6, 7))
        .isNotEqualTo(LimitStatus.of(A, 4, 0, 5, 8))
        .isNotEqualTo("a status");
  }

  @Test
  void toStringIsReadable() {
    assertThat(decision(status(A, 4, 0)))
        .hasToString(
            "Decision[allowed, cost 2, remaining 4, by token-bucket 10 per 1s, burst 10, MEMORY]");
    assertThat(decision(status(B, 1, 2_000_000)))
        .hasToString(
            "Decision[refused, cost 2, remaining 1, retry after PT0.002S,"
                + " by sliding-log 10 per 1m, MEMORY]");
    assertThat(decision(status(B, 1, NEVER)))
        .hasToString("Decision[never fits, cost 2, remaining 1, by sliding-log 10 per 1m, MEMORY]");
    assertThat(Decision.of(2, Duration.ofSeconds(1), List.of(status(B, 1, 0)), 0, Origin.MEMORY))
        .hasToString(
            "Decision[allowed, cost 2, remaining 1, delay PT1S, by sliding-log 10 per 1m, MEMORY]");
    assertThat(status(B, 1, 1_000_000))
        .hasToString("Standing[sliding-log 10 per 1m: remaining 1, retry after PT0.001S]");
    assertThat(status(B, 1, NEVER))
        .hasToString("Standing[sliding-log 10 per 1m: remaining 1, retry after never]");
  }

  @Test
  void nothingSpentNeverGrows() {
    assertThat(LimitStatus.of(A, 10, 0, 0, 0).growsAfter()).isEmpty();
    assertThat(LimitStatus.of(A, 9, 0, 5, 5).growsAfter()).contains(Duration.ofNanos(5));
  }

  @Test
  void rejectsNegativeNumbersInAStatus() {
    assertThatThrownBy(() -> decision())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("standings must not be empty");
    for (int i = 0; i < 4; i++) {
      long[] numbers = new long[4];
      numbers[i] = -5;
      assertThatThrownBy(() -> LimitStatus.of(A, numbers[0], numbers[1], numbers[2], numbers[3]))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("-5");
    }
  }

  @Test
  void decisionsMadeTogetherAreOne() {
    Decision soon =
        Decision.of(1, Duration.ofMillis(3), List.of(status(A, 4, 0)), 1000, Origin.MEMORY);
    Decision late =
        Decision.of(2, Duration.ofMillis(5), List.of(status(B, 2, 0)), 1002, Origin.STORE);
    Decision both = Decision.together(List.of(soon, late));
    assertThat(both.allowed()).isTrue();
    assertThat(both.delay()).isEqualTo(Duration.ofMillis(5));
    assertThat(both.time()).isEqualTo(Instant.ofEpochMilli(1002));
    assertThat(both.standings()).containsExactly(status(A, 4, 0), status(B, 2, 0));
    assertThat(both.limit()).isEqualTo(B);
    assertThat(both.origin()).as("of the one that decided").isEqualTo(Origin.STORE);
    assertThat(both.cost()).as("of the one that decided").isEqualTo(2);

    Decision second = Decision.of(1, Duration.ZERO, List.of(status(B, 0, 9)), 1001, Origin.FAILURE);
    Decision refused = Decision.together(List.of(late, second));
    assertThat(refused.allowed()).isFalse();
    assertThat(refused.delay()).isZero();
    assertThat(refused.retryAfter()).contains(Duration.ofNanos(9));
    assertThat(refused.origin()).isEqualTo(Origin.FAILURE);
    assertThat(Decision.together(List.of(second))).isSameAs(second);
  }
}
