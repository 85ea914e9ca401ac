package io.weir.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Durations of a whole number and a unit. */
class DurationParserTest {
  private static final DurationParser ALL = DurationParser.of(9, "us", "ms", "s", "m", "h", "d");

  @ParameterizedTest
  @CsvSource({
    "0s, PT0S",
    "500us, PT0.0005S",
    "250ms, PT0.25S",
    "30s, PT30S",
    "15m, PT15M",
    "2h, PT2H",
    "7d, PT168H",
    "007s, PT7S",
    "999999999d, PT23999999976H",
  })
  void parsesANumberAndAUnit(String text, Duration expected) {
    assertThat(ALL.parse(text)).contains(expected);
    assertThat(ALL.parseSum(text)).contains(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "5",
        "s",
        "-5s",
        "+5s",
        "5 s",
        " 5s",
        "5s ",
        "5S",
        "1.5s",
        "5w",
        "1000000000s"
      })
  void refusesOtherForms(String text) {
    assertThat(ALL.parse(text)).isEmpty();
    assertThat(ALL.parseSum(text)).isEmpty();
  }

  @Test
  void addsSeveralNumbersOnlyInParseSum() {
    assertThat(ALL.parse("1m30s")).isEmpty();
    assertThat(ALL.parseSum("1m30s")).contains(Duration.ofSeconds(90));
    assertThat(ALL.parseSum("2h500ms1s")).contains(Duration.ofMillis(7_201_500));
    assertThat(ALL.parseSum("1m30")).isEmpty();
    assertThat(DurationParser.of(9, "m", "s", "ms").parseSum("1m5ms"))
        .contains(Duration.ofMillis(60_005));
    assertThat(ALL.parseSum("1s".repeat(100_000))).contains(Duration.ofSeconds(100_000));
  }

  @Test
  void allowsOnlyTheUnitsAndDigitsOfItsPlace() {
    DurationParser parser = DurationParser.of(2, "ms", "s");
    assertThat(parser.parse("10s")).contains(Duration.ofSeconds(10));
    assertThat(parser.parse("1m")).isEmpty();
    assertThat(parser.parse("100s")).isEmpty();
    assertThatThrownBy(() -> DurationParser.of(2, "w"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("unknown unit 'w'");
  }
}
