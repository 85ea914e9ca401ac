package io.weir.rig;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A {@code redis-server} executable.
 *
 * @param file its path
 * @param version the version that it reports: {@code 6.2.11}
 */
public record RedisProgram(Path file, String version) {
  private static final Pattern VERSION = Pattern.compile("\\bv=([0-9]+\\.[0-9]+[0-9.]*)");

  /** The one in the test jar: Redis 6.2, the oldest supported version. */
  public static RedisProgram jar() {
    return InTheJar.PROGRAM;
  }

  /** The one that is installed here. */
  public static Optional<RedisProgram> system() {
    return onThePath("redis-server").map(RedisProgram::at);
  }

  /** Another one, such as Valkey or Redis 8: {@code WEIR_REDIS_SERVER=/path/of/it}. */
  public static Optional<RedisProgram> named() {
    String name = System.getProperty("weir.redis.server", System.getenv().get("WEIR_REDIS_SERVER"));
    return Optional.ofNullable(name)
        .filter(given -> !given.isBlank())
        .map(given -> at(Path.of(given)));
  }

  /** The one that tests use: the {@link #named} one, or else that of the {@link #jar}. */
  public static RedisProgram chosen() {
    return named().orElseGet(RedisProgram::jar);
  }

  /** The program in {@code file}; runs it to read its version. */
  public static RedisProgram at(Path file) {
    try {
      Process process =
          new ProcessBuilder(file.toString(), "--version").redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      Matcher version = VERSION.matcher(output);
      if (!version.find()) {
        throw new IllegalStateException(file + " reports no version: " + output);
      }
      return new RedisProgram(file, version.group(1));
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be run", e);
    }
  }

  /** The first number of the version. */
  public int major() {
    return Integer.parseInt(version.substring(0, version.indexOf('.')));
  }

  private static Optional<Path> onThePath(String name) {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .filter(directory -> !directory.isEmpty())
        .map(directory -> Path.of(directory, name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Extracted from the jar once per JVM. */
  private static final class InTheJar {
    static final RedisProgram PROGRAM = extract();

    private static RedisProgram extract() {
      String name = resource();
      Path file = ProcessReaper.directory("program").resolve("redis-server");
      try (InputStream in = RedisProgram.class.getResourceAsStream("/" + name)) {
        if (in == null) {
          throw new IllegalStateException("no " + name + " on the class path");
        }
        Files.copy(in, file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      if (!file.toFile().setExecutable(true)) {
        throw new IllegalStateException(file + " cannot be made executable");
      }
      return at(file);
    }

    private static String resource() {
      String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
      String processor = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
      boolean arm = processor.equals("aarch64") || processor.equals("arm64");
      if (system.contains("mac")) {
        return "redis-server-6.2.6-v5-darwin-" + (arm ? "arm64" : "amd64");
      }
      if (system.contains("linux")) {
        return arm ? "redis-server-6.2.7-linux-arm64" : "redis-server-6.2.6-v5-linux-amd64";
      }
      throw new IllegalStateException("the jar has no redis-server for " + system);
    }
  }

  @Override
  public String toString() {
    return "redis-server " + version;
  }
}
