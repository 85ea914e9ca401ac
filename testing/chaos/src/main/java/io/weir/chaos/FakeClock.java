package io.weir.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The wall clock of one process, which can be stepped forward and back at run time. It uses
 * libfaketime, which reads a file at each access. Monotonic clocks are not affected.
 */
final class FakeClock {
  private final Path library;
  private final Path file;
  private Duration ahead = Duration.ZERO;

  private FakeClock(Path library, Path file) {
    this.library = library;
    this.file = file;
    setRight();
  }

  /** A clock with its file in {@code directory}, if libfaketime is installed. */
  static Optional<FakeClock> in(Path directory) {
    return library().map(found -> new FakeClock(found, directory.resolve("clock")));
  }

  /** The path of libfaketime. */
  static Optional<Path> library() {
    return Stream.of("/usr/lib", "/usr/lib64", "/usr/local/lib")
        .map(Path::of)
        .filter(Files::isDirectory)
        .flatMap(place -> Stream.concat(Stream.of(place), within(place).stream()))
        .map(place -> place.resolve("faketime").resolve("libfaketime.so.1"))
        .filter(Files::isReadable)
        .findFirst();
  }

  private static List<Path> within(Path place) {
    try (Stream<Path> all = Files.list(place)) {
      return all.toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The command prefix that starts a process with this clock. */
  List<String> entrance() {
    return List.of(
        "env",
        "LD_PRELOAD=" + library,
        "DONT_FAKE_MONOTONIC=1",
        "FAKETIME_DONT_FAKE_MONOTONIC=1",
        "FAKETIME_NO_CACHE=1",
        "FAKETIME_TIMESTAMP_FILE=" + file);
  }

  /** Steps it forward, or back by a negative step. */
  synchronized void step(Duration step) {
    ahead = ahead.plus(step);
    write();
  }

  /** How far it is ahead of the machine's clock. */
  synchronized Duration ahead() {
    return ahead;
  }

  /** Resets it to the machine's clock. */
  synchronized void setRight() {
    ahead = Duration.ZERO;
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
