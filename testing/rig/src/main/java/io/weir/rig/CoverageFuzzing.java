package io.weir.rig;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Coverage-guided fuzzing: Jazzer keeps the inputs that reach new code and mutates them further. It
 * instruments classes, so it runs in a process of its own.
 *
 * <pre>
 * src/test/resources/fuzz/NAME/   inputs that once failed; tried in every run of the tests
 * target/fuzz/NAME/corpus/        inputs that reached new code; the next run begins with them
 * target/fuzz/NAME/crash-…        an input that fails
 * target/fuzz/NAME/log            what the fuzzer printed
 * </pre>
 *
 * <p>To turn a failure into a test, move its input to the first directory.
 */
public final class CoverageFuzzing {
  private static final String PARSERS = "io.weir.**:org.snakeyaml.**";

  /** Detectors of operations that our parsers may perform: open a named file, compile a pattern. */
  private static final String DETECTORS_OFF =
      Stream.of("FilePathTraversal", "RegexInjection", "ServerSideRequestForgery")
          .map(name -> "com.code_intelligence.jazzer.sanitizers." + name)
          .collect(Collectors.joining(":"));

  private static final int MAX_INPUT_BYTES = 4096;
  private static final int HANG_SECONDS = 60;
  private static final Duration MARGIN = Duration.ofMinutes(5);

  private CoverageFuzzing() {}

  /** Runs the target's seeds and the inputs that once failed. */
  public static void seeds(FuzzTarget target) {
    named(target)
        .forEach(
            (name, input) -> {
              try {
                target.run(input);
              } catch (Exception | Error e) {
                throw new AssertionError(
                    "input " + name + ": " + new String(input, UTF_8).replace('\0', '.'), e);
              }
            });
  }

  private static Map<String, byte[]> named(FuzzTarget target) {
    Map<String, byte[]> inputs = new TreeMap<>();
    int seeds = 0;
    for (byte[] seed : target.seeds()) {
      inputs.put("seed-" + seeds++, seed);
    }
    Path kept = Path.of("src/test/resources/fuzz", target.getClass().getSimpleName());
    if (Files.isDirectory(kept)) {
      try (Stream<Path> files = Files.list(kept)) {
        for (Path file : files.toList()) {
          inputs.put(file.getFileName().toString(), Files.readAllBytes(file));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return inputs;
  }

  /**
   * Fuzzes the target for {@code -Dweir.fuzz.minutes}, on one thread of another process.
   *
   * @throws AssertionError if an input fails, with its location
   */
  public static void minutes(FuzzTarget target) {
    try {
      Duration time = Fuzzing.time();
      Path directory =
          Files.createDirectories(
              Path.of("target/fuzz", target.getClass().getSimpleName()).toAbsolutePath());
      Path log = directory.resolve("log");
      Process fuzzer =
          new ProcessBuilder(command(target, directory, time))
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start();
      ProcessReaper.born(fuzzer);
      try {
        if (!fuzzer.waitFor(time.plus(MARGIN).toSeconds(), TimeUnit.SECONDS)) {
          throw new AssertionError("the fuzzer does not end: see " + log);
        }
      } finally {
        fuzzer.destroyForcibly().waitFor();
        ProcessReaper.died(fuzzer);
      }
      if (fuzzer.exitValue() != 0) {
        throw new AssertionError("the fuzzer failed: see " + log + "\n" + finding(log));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  private static List<String> command(FuzzTarget target, Path directory, Duration time)
      throws IOException {
    Path seeds = Files.createDirectories(directory.resolve("seeds"));
    for (Map.Entry<String, byte[]> seed : named(target).entrySet()) {
      Files.write(seeds.resolve(seed.getKey()), seed.getValue());
    }
    Path words = directory.resolve("words");
    Files.writeString(
        words,
        target.words().stream()
            .map(CoverageFuzzing::escaped)
            .collect(Collectors.joining("\n", "", "\n")));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-ea", "-Xmx1g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add("com.code_intelligence.jazzer.Jazzer");
    command.add("--target_class=" + FuzzEntry.class.getName());
    command.add("--target_args=" + target.getClass().getName());
    command.add("--instrumentation_includes=" + PARSERS);
    command.add("--custom_hook_includes=" + PARSERS);
    command.add("--disabled_hooks=" + DETECTORS_OFF);
    command.add("--reproducer_path=" + directory);
    command.add("-artifact_prefix=" + directory + "/");
    command.add("-dict=" + words);
    command.add("-max_len=" + MAX_INPUT_BYTES);
    command.add("-timeout=" + HANG_SECONDS);
    command.add("-rss_limit_mb=3000");
    command.add("-print_final_stats=1");
    command.add("-max_total_time=" + time.toSeconds());
    command.add(Files.createDirectories(directory.resolve("corpus")).toString());
    command.add(seeds.toString());
    return command;
  }

  /** A line of a dictionary: {@code "\x0A"}. */
  private static String escaped(String word) {
    StringBuilder line = new StringBuilder("\"");
    for (byte b : word.getBytes(UTF_8)) {
      line.append("\\x%02X".formatted(b));
    }
    return line.append('"').toString();
  }

  private static String finding(Path log) throws IOException {
    List<String> lines = Files.readAllLines(log);
    int from = Math.max(0, lines.size() - 60);
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).startsWith("== Java Exception")) {
        from = i;
        break;
      }
    }
    return String.join("\n", lines.subList(from, Math.min(lines.size(), from + 60)));
  }
}
