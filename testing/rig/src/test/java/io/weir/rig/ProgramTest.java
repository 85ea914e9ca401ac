package io.weir.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A program can be started, hurt, ended and started again, and leaves nothing behind. */
@Timeout(120)
class ProgramTest {
  /** Prints hello, then a child process repeatedly appends a line to a file. */
  private static final String BEATS =
      "echo hello; sh -c 'while true; do echo beat >> beats; sleep 0.01; done' & wait";

  /** Has one child after the other; in all command lines is the directory. */
  private static final String CROWD =
      """
      echo >ready
      for i in 1 2 3 4 5 6 7 8 9 10; do
        for k in 1 2 3 4 5 6 7 8 9 10; do tail -f "$0/ready" & done
      done
      wait
      """;

  @Test
  void startsAndStopsProgram() throws Exception {
    Path directory = Program.directory("beats");
    Path beats = directory.resolve("beats");
    List<String> command = List.of("/bin/sh", "-c", BEATS);
    try (Program program = Program.start(directory, command, () -> Files.exists(beats))) {
      assertThat(program.isRunning()).isTrue();
      assertThat(program.log()).isEqualTo("hello\n");

      program.kill();
      assertThat(program.isRunning()).isFalse();
      long size = assertAtRest(beats);

      program.startAgain();
      Await.holds("it goes on", () -> Files.size(beats) > size);
      assertThat(program.log()).isEqualTo("hello\nhello\n");

      program.stop();
      assertThat(program.isRunning()).isFalse();
      assertAtRest(beats);
    }
    assertThat(directory).doesNotExist();
  }

  @Test
  void suspendsAndResumesProgram() throws Exception {
    Path directory = Program.directory("beats");
    Path beats = directory.resolve("beats");
    List<String> command = List.of("/bin/sh", "-c", BEATS);
    try (Program program = Program.start(directory, command, () -> Files.exists(beats))) {
      program.suspend();
      assertThat(program.isRunning()).isTrue();
      long size = assertAtRest(beats);
      program.resume();
      Await.holds("it goes on", () -> Files.size(beats) > size);

      program.suspend();
      program.stop();
      assertThat(program.isRunning()).isFalse();
      assertAtRest(beats);
    }
  }

  /**
   * A running process would write within the wait; a stopped one does not, however slow the
   * machine.
   */
  private static long assertAtRest(Path beats) throws Exception {
    long size = Files.size(beats);
    Thread.sleep(100);
    assertThat(Files.size(beats)).isEqualTo(size);
    return size;
  }

  @ParameterizedTest
  @EnumSource
  void noChildIsLeftNorOneThatIsJustBorn(End end) {
    for (int round = 0; round < 5; round++) {
      Path directory = Program.directory("crowd");
      List<String> command = List.of("/bin/sh", "-c", CROWD, directory.toString());
      try (Program program =
          Program.start(directory, command, () -> Files.exists(directory.resolve("ready")))) {
        end.accept(program);
        assertThat(living(directory)).isEmpty();
      }
    }
  }

  /** The ways to end a program. */
  enum End implements Consumer<Program> {
    STOP {
      @Override
      public void accept(Program program) {
        program.stop();
      }
    },
    KILL {
      @Override
      public void accept(Program program) {
        program.kill();
      }
    }
  }

  private static List<String> living(Path directory) {
    return ProcessHandle.allProcesses()
        .flatMap(each -> each.info().commandLine().stream())
        .filter(line -> line.contains(directory.toString()))
        .toList();
  }

  @Test
  void reportsWhyItDidNotStart() {
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
