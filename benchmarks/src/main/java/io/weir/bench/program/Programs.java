package io.weir.bench.program;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** The programs that a run needs; an error explains how to install a missing one. */
public final class Programs {
  private Programs() {}

  /** The installed server, or else the older one from the jar. */
  public static Path redisServer() throws IOException {
    Optional<Path> installed = find("redis-server");
    if (installed.isPresent()) {
      return installed.get();
    }
    String resource =
        System.getProperty("os.arch").equals("aarch64")
            ? "/redis-server-6.2.7-linux-arm64"
            : "/redis-server-6.2.6-v5-linux-amd64";
    try (InputStream in = Programs.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IllegalArgumentException("needs a redis-server (Debian: redis-server)");
      }
      Path file = Files.createTempFile("bench", "redis-server");
      file.toFile().deleteOnExit();
      Files.write(file, in.readAllBytes());
      if (!file.toFile().setExecutable(true)) {
        throw new IOException(file + " cannot be made executable");
      }
      return file;
    }
  }

  /** The program that drives the bare script. */
  public static Path redisBenchmark() {
    return find("redis-benchmark")
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "needs redis-benchmark (Debian: apt-get install redis-tools)"));
  }

  /** The proxy used as a reference. */
  public static Path nginx() {
    return find("nginx")
        .orElseThrow(
            () -> new IllegalArgumentException("needs nginx (Debian: apt-get install nginx)"));
  }

  /** The version that nginx reports. */
  public static String nginxVersion() throws IOException {
    Process process =
        new ProcessBuilder(nginx().toString(), "-v").redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    return output.substring(output.indexOf('/') + 1).strip();
  }

  /** The program that pins others to cores. */
  static Path taskset() {
    return find("taskset")
        .orElseThrow(
            () ->
                new IllegalArgumentException("needs taskset (Debian: apt-get install util-linux)"));
  }

  /** A program by its name, if it is installed. */
  public static Optional<Path> find(String name) {
    for (String directory : System.getenv().getOrDefault("PATH", "").split(":")) {
      Path file = Path.of(directory, name);
      if (Files.isExecutable(file)) {
        return Optional.of(file);
      }
    }
    return Stream.of("/usr/bin", "/usr/sbin")
        .map(directory -> Path.of(directory, name))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
