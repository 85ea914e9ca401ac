package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rules.match.MalformedRequestException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Callers that bring along more limits than anybody can remember. */
class OverridesTest {
  private final ManualTime time = TimeSource.manual();
  private final RequestLimiter limiter =
      RequestLimiter.builder(Proxies.rules("a 1/minute")).time(time).build();

  private String ask(String question) {
    return Proxies.told(Proxies.ask(limiter, question));
  }

  private void flood(int from, int to, String unit) {
    for (int i = from; i < to; i++) {
      assertThat(ask("x=1@" + i + "/" + unit)).isEqualTo("OK " + (i - 1));
      time.advance(Duration.ofNanos(1000));
    }
  }

  /** A thousand limits of a year keep nobody out, and cost only their own kind. */
  @Test
  void whoMakesUpLimitsPaysForThem() {
    assertThat(ask("login=1@2/year")).isEqualTo("OK 1");
    assertThat(ask("login=1@2/year")).isEqualTo("OK 0");
    flood(1, 1 + 2 * Overrides.MOST, "year");
    assertThat(ask("login=1@2/year")).as("of another kind").isEqualTo("OVER !0");
    assertThat(ask("other=1@7/day")).as("a new kind").isEqualTo("OK 6");
    int last = 2 * Overrides.MOST;
    assertThat(ask("x=1@" + last + "/year")).as("kept").isEqualTo("OK " + (last - 2));
    assertThat(ask("x=1@2/year")).as("forgotten").isEqualTo("OK 1");
    assertThat(ask("a=1")).as("the tree needs no place").isEqualTo("OK 0");
  }

  @Test
  void whatWasAskedForLastIsKept() {
    flood(1, 1 + Overrides.MOST, "day");
    time.advance(Duration.ofSeconds(1));
    assertThat(ask("x=1@5/day")).isEqualTo("OK 3");
    time.advance(Duration.ofSeconds(1));
    flood(5000, 5000 + Overrides.MOST - 1, "day");
    assertThat(ask("x=1@5/day")).isEqualTo("OK 2");
  }

  @Test
  void theTableIsBoundedAlsoWhereEachIsOfAnotherKind() {
    for (int i = 1; i <= Overrides.MOST; i++) {
      assertThat(ask("k" + i + "=1@5/day")).isEqualTo("OK 4");
    }
    assertThatThrownBy(() -> ask("new=1@5/day"))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageContaining("too many different limit overrides");
    assertThat(ask("k7=1@6/day")).as("takes its own place").isEqualTo("OK 5");
    assertThat(ask("k8=1@5/day")).isEqualTo("OK 3");
    time.advance(Duration.ofDays(2));
    assertThat(ask("new=1@5/day")).as("what is over makes room").isEqualTo("OK 4");
  }

  @Test
  void whatIsOverMakesRoom() {
    flood(1, 11, "hour");
    flood(1, 1 + Overrides.MOST - 10, "minute");
    time.advance(Duration.ofSeconds(71));
    flood(5000, 5000 + Overrides.MOST - 10, "minute");
    assertThat(ask("x=1@2/hour")).as("was in use").isEqualTo("OK 0");
  }

  @Test
  void whatSpentNothingMakesRoom() {
    assertThat(ask("x=1@7/year")).isEqualTo("OK 6");
    for (int i = 1; i < Overrides.MOST; i++) {
      assertThat(ask("y=1*0@" + i + "/year")).isEqualTo("OK " + i);
    }
    time.advance(Duration.ofSeconds(10));
    for (int i = 1; i <= Overrides.MOST - 2; i++) {
      assertThat(ask("x=1@" + (5000 + i) + "/year")).isEqualTo("OK " + (4999 + i));
    }
    assertThat(ask("x=1@7/year")).as("has spent").isEqualTo("OK 5");
  }
}
