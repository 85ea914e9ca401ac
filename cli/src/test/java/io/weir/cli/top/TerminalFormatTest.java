package io.weir.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Words and numbers for a terminal. */
class TerminalFormatTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "0.04, 0.0",
    "0.3, 0.3",
    "9.94, 9.9",
    "12.4, 12",
    "9999, 9999",
    "12345, 12.3k",
    "1234567, 1.2M",
    "2500000000, 2.5G"
  })
  void ratesAreShort(double rate, String text) {
    assertThat(TerminalFormat.rate(rate)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 ns",
    "0.64, 640 ns",
    "1, 1 µs",
    "2.54, 2.5 µs",
    "640, 640 µs",
    "999.6, 1 ms",
    "40000.0, 40 ms",
    "999600, 1 s",
    "1234567, 1.2 s"
  })
  void timesOfDecisionsHaveTheirBestUnit(double micros, String text) {
    assertThat(TerminalFormat.micros(micros)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"0, 0s", "59, 59s", "61, 1m 1s", "3700, 1h 1m", "90000, 1d 1h", "-5, 0s"})
  void timesAreShort(long seconds, String text) {
    assertThat(TerminalFormat.time(seconds)).isEqualTo(text);
  }

  @Test
  void barsAreAsHighAsTheNumbersAndTheNewestAreShown() {
    assertThat(TerminalFormat.bars(new long[] {-1, 0, 1, 50, 100}, 100, 10)).isEqualTo(" ▁▂▅█");
    assertThat(TerminalFormat.bars(new long[] {9, 9, 0, 4}, 4, 2)).isEqualTo("▁█");
    assertThat(TerminalFormat.bars(new long[] {0, 0}, 0, 2)).isEqualTo("▁▁");
  }

  @Test
  void cutsLongText() {
    assertThat(TerminalFormat.left("abcdef", 4)).isEqualTo("abc…");
    assertThat(TerminalFormat.left("😀😀😀", 2)).isEqualTo("😀…");
    assertThat(TerminalFormat.right("ab", 4)).isEqualTo("  ab");
    assertThat(TerminalFormat.cut("ab", 0)).isEmpty();
  }
}
