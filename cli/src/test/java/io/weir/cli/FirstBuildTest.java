package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.rig.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code ./weir} shows of Maven's output while it builds for the first time. */
class FirstBuildTest {
  private static final Path WEIR =
      Path.of(System.getProperty("user.dir")).getParent().resolve("weir");
  private static final String MAVEN =
      """
      [INFO] Scanning for projects...
      [INFO] Reactor Build Order:
      [INFO] Weir                                                             [pom]
      [INFO] Building Weir 0.1.0-SNAPSHOT                                      [1/3]
      [WARNING] Building nothing [9/9]
      [INFO] Building Weir core 0.1.0-SNAPSHOT                                 [2/3]
      [INFO] Building jar: /weir/core/target/weir-core.jar
      [INFO] Building Weir cli 0.1.0-SNAPSHOT                                  [3/3]
      [INFO] BUILD SUCCESS
      """;

  @TempDir Path directory;

  @Test
  void namesEachModuleOnALineOfAFile() throws Exception {
    assertThat(shown(List.of("bash", "-c", script())))
        .isEqualTo("  1 of 3: Weir\n  2 of 3: Weir core\n  3 of 3: Weir cli\n");
  }

  @Test
  void namesEachModuleOnOneLineOfATerminal() throws Exception {
    assumeTrue(Program.find("python3").isPresent(), "no python3 is installed");
    String terminal = "import pty, sys; pty.spawn(sys.argv[1:])";
    assertThat(shown(List.of("python3", "-c", terminal, "bash", "-c", script())))
        .isEqualTo(
            "\r\u001b[K  1 of 3: Weir\r\u001b[K  2 of 3: Weir core\r\u001b[K  3 of 3: Weir cli"
                + "\r\u001b[K");
  }

  /** The function of the file itself, and lines of Maven. */
  private String script() throws IOException {
    Path lines = Files.writeString(directory.resolve("maven.log"), MAVEN);
    return "set -euo pipefail; eval \"$(sed -n '/^progress() {/,/^}/p' '%s')\"; progress <'%s'"
        .formatted(WEIR, lines);
  }

  /** Standard output and errors together. */
  private static String shown(List<String> command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String shown = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(shown).isZero();
    return shown;
  }
}
