package io.weir.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A program that Go builds from a module once, below {@code target}. */
public final class GoProgram {
  private static final int MINUTES = 15;

  private GoProgram() {}

  /**
   * The path of the program, built if necessary.
   *
   * @param program a command of a module and its version: {@code example.org/tools/cmd/tool@v1.2.3}
   * @return empty if Go is not installed or cannot build it
   */
  public static Optional<Path> build(String program) {
    Path directory = Path.of("target", "go").toAbsolutePath();
    String name = program.replaceFirst("@.*", "").replaceFirst(".*/", "");
    Path built = directory.resolve("bin").resolve(name);
    Optional<Path> go = go();
    if (Files.isExecutable(built)) {
      return Optional.of(built);
    }
    return go.isPresent() && install(go.get(), directory, program)
        ? Optional.of(built)
        : Optional.empty();
  }

  private static Optional<Path> go() {
    Path usual = Path.of("/usr/local/go/bin/go");
    return Program.find("go").or(() -> Optional.of(usual).filter(Files::isExecutable));
  }

  private static boolean install(Path go, Path directory, String program) {
    try {
      Files.createDirectories(directory);
      Path log = directory.resolve("install.log");
      ProcessBuilder builder =
          new ProcessBuilder(List.of(go.toString(), "install", program))
              .redirectErrorStream(true)
              .redirectOutput(log.toFile());
      // Go makes downloads read-only otherwise, and they could not be deleted.
      builder
          .environment()
          .putAll(Map.of("GOPATH", directory.toString(), "GOFLAGS", "-modcacherw"));
      builder.environment().remove("GOBIN");
      Process process = builder.start();
      if (!process.waitFor(MINUTES, TimeUnit.MINUTES)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        return false;
      }
      return process.exitValue() == 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
