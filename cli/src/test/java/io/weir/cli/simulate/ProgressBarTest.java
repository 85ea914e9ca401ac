package io.weir.cli.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.replay.Progress;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ProgressBarTest {
  private final StringWriter err = new StringWriter();
  private long now = -5;

  @Test
  void showsShareSpeedAndWhatIsLeft() {
    try (ProgressBar bar = new ProgressBar(new PrintWriter(err), () -> now)) {
      bar.at(new Progress(1, 1, OptionalLong.of(400)));
      assertThat(err.toString()).as("too early").isEmpty();

      now += Duration.ofSeconds(2).toNanos();
      bar.at(new Progress(3_000_000, 100, OptionalLong.of(400)));
      assertThat(err.toString())
          .endsWith(
              "[#######-----------------------] 25 %  3,000,000 lines, 1,500,000/s, 6 s left");

      bar.at(new Progress(3_000_001, 101, OptionalLong.of(400)));
      assertThat(err.toString()).as("too soon again").doesNotContain("3,000,001");
    }
    assertThat(err.toString()).endsWith("\r\u001b[K");
  }

  @Test
  void knowsNoEndOfAStream() {
    try (ProgressBar bar = new ProgressBar(new PrintWriter(err), () -> now)) {
      now += Duration.ofSeconds(1).toNanos();
      bar.at(new Progress(10, 100, OptionalLong.empty()));
      assertThat(err.toString()).endsWith("10 lines, 10/s");
    }
  }

  @Test
  void isNotShownWithoutTerminal() {
    try (ProgressBar bar = new ProgressBar(new PrintWriter(err), () -> now)) {
      bar.at(new Progress(10, 100, OptionalLong.empty()));
    }
    assertThat(err.toString()).isEmpty();
  }
}
