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
    }
  }

  @Test
  void whatIsInUseIsNotForgottenAndTheTableIsBounded() {
    flood(1, 1 + Overrides.MOST, "day");
    assertThatThrownBy(() -> ask("x=1@5000/day"))
        .isInstanceOf(MalformedRequestException.class)
        .hasMessageContaining("too many different limit overrides");
    time.advance(Duration.ofHours(1));
    assertThatThrownBy(() -> ask("x=1@5000/day")).isInstanceOf(MalformedRequestException.class);
    assertThat(ask("x=1@2/day")).as("known").isEqualTo("OK 0");
    assertThat(ask("x=1@2/day")).isEqualTo("OVER !0");
    assertThat(ask("a=1")).as("the tree needs no place").isEqualTo("OK 0");
  }

  @Test
  void whatIsOverMakesRoom() {
    flood(1, 11, "hour");
    flood(1, 1 + Overrides.MOST - 10, "minute");
    time.advance(Duration.ofSeconds(71));
    flood(5000, 5000 + Overrides.MOST - 10, "minute");
    assertThat(ask("x=1@2/hour")).as("was in use").isEqualTo("OK 0");
    assertThatThrownBy(() -> ask("x=1@1/second")).isInstanceOf(MalformedRequestException.class);
  }

  @Test
  void whatSpentNothingMakesRoom() {
    for (int i = 1; i <= Overrides.MOST; i++) {
      assertThat(ask("x=1*0@" + i + "/year")).isEqualTo("OK " + i);
    }
    assertThatThrownBy(() -> ask("x=1@5000/year"))
        .as("they have only just asked")
        .isInstanceOf(MalformedRequestException.class);
    time.advance(Duration.ofSeconds(10));
    assertThat(ask("x=1@5000/year")).isEqualTo("OK 4999");
  }
}
