package io.weir.redis;

import io.weir.rig.Program;
import io.weir.rig.RedisProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The wall clock of the servers that one program starts, which can be stepped while they run. By
 * libfaketime, which reads a file at each look at the clock. Monotonic clocks stay as they are.
 */
final class SteppedClock {
  private static final String LIBRARY = "faketime/libfaketime.so.1";
  private static final String MALLOC = "libc_malloc_debug.so.0";

  private final Path file;
  private final RedisProgram program;
  private Duration ahead = Duration.ZERO;

  /** A clock that is right, for servers of {@code real}. */
  SteppedClock(RedisProgram real) {
    Path directory = Program.directory("clock");
    file = directory.resolve("clock");
    write();
    Path script = directory.resolve("redis-server");
    String text =
        """
        #!/bin/sh
        export LD_PRELOAD="%s" DONT_FAKE_MONOTONIC=1 FAKETIME_DONT_FAKE_MONOTONIC=1
        export FAKETIME_NO_CACHE=1 FAKETIME_TIMESTAMP_FILE=%s
        exec %s "$@"
        """
            .formatted(preloaded(real), file, real.file());
    try {
      Files.writeString(script, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (!script.toFile().setExecutable(true)) {
      throw new IllegalStateException(script + " cannot be made executable");
    }
    program = new RedisProgram(script, real.version());
  }

  /** Whether libfaketime is there. */
  static boolean isInstalled() {
    return library().isPresent();
  }

  /** Whether the clock of servers of {@code program} can be stepped. */
  static boolean isFor(RedisProgram program) {
    return isInstalled() && (!sharesJemalloc(program) || library(MALLOC).isPresent());
  }

  /**
   * A jemalloc that is a library of its own looks at the clock before libfaketime is ready, and
   * neither ever is. With the malloc of libc it comes later.
   */
  private static String preloaded(RedisProgram program) {
    String faketime = library().orElseThrow().toString();
    return sharesJemalloc(program) ? library(MALLOC).orElseThrow() + " " + faketime : faketime;
  }

  private static boolean sharesJemalloc(RedisProgram program) {
    try {
      return Files.readString(program.file(), StandardCharsets.ISO_8859_1)
          .contains("libjemalloc.so");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Optional<Path> library() {
    return library(LIBRARY);
  }

  private static Optional<Path> library(String name) {
    return Stream.of("/usr/lib", "/usr/lib64", "/usr/local/lib")
        .map(Path::of)
        .filter(Files::isDirectory)
        .flatMap(place -> Stream.concat(Stream.of(place), within(place)))
        .map(place -> place.resolve(name))
        .filter(Files::isReadable)
        .findFirst();
  }

  private static Stream<Path> within(Path place) {
    try (Stream<Path> all = Files.list(place)) {
      return all.toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Starts servers that live by this clock. */
  RedisProgram program() {
    return program;
  }

  /** Puts it forward, or back by a negative step. */
  void step(Duration step) {
    ahead = ahead.plus(step);
    write();
  }

  private void write() {
    Path draft = file.resolveSibling("clock.draft");
    try {
      Files.writeString(draft, String.format(Locale.ROOT, "%+.3f", ahead.toMillis() / 1e3));
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
