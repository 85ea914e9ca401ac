package io.weir.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A program can be started, hurt, ended and started again, and leaves nothing behind. */
@Timeout(60)
class ProgramTest {
  /** Says hello, then appends a line to a file again and again, by a child of its own. */
  private static final String BEATS =
      "echo hello; sh -c 'while true; do echo beat >> beats; sleep 0.01; done' & wait";

  @Test
  void lives() throws Exception {
    Path directory = Program.directory("beats");
    Path beats = directory.resolve("beats");
    List<String> command = List.of("/bin/sh", "-c", BEATS);
    try (Program program = Program.start(directory, command, () -> Files.exists(beats))) {
      assertThat(program.isRunning()).isTrue();
      assertThat(program.log()).isEqualTo("hello\n");

      program.kill();
      assertThat(program.isRunning()).isFalse();
      long size = Files.size(beats);
      Thread.sleep(100); // a child that were left would go on
      assertThat(Files.size(beats)).isEqualTo(size);

      program.startAgain();
      Until.holds("it goes on", () -> Files.size(beats) > size);
      assertThat(program.log()).isEqualTo("hello\nhello\n");

      program.stop();
      assertThat(program.isRunning()).isFalse();
    }
    assertThat(directory).doesNotExist();
  }

  @Test
  void hangsAndGoesOn() throws IOException {
    Path directory = Program.directory("beats");
    Path beats = directory.resolve("beats");
    List<String> command =
        List.of("/bin/sh", "-c", "while true; do echo beat >> beats; sleep 0.01; done");
    try (Program program = Program.start(directory, command, () -> Files.exists(beats))) {
      program.suspend();
      Until.holds("it has come to rest", () -> isResting(beats));
      assertThat(program.isRunning()).isTrue();
      long size = Files.size(beats);
      program.resume();
      Until.holds("it goes on", () -> Files.size(beats) > size);
    }
  }

  private static boolean isResting(Path beats) throws Exception {
    long size = Files.size(beats);
    Thread.sleep(200);
    return Files.size(beats) == size;
  }

  @Test
  void tellsWhyItDidNotStart() {
    Path directory = Program.directory("fails");
    assertThatThrownBy(
            () ->
                Program.start(
                    directory, List.of("/bin/sh", "-c", "echo no such port; exit 3"), () -> false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("did not start")
        .hasMessageContaining("no such port");
  }

  @Test
  void findsPrograms() {
    assertThat(Program.find("sh")).isPresent();
    assertThat(Program.find("no-such-program")).isEmpty();
  }
}
