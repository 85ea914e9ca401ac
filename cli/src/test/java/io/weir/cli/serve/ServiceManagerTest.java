package io.weir.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.cli.ServeProcess;
import io.weir.rig.Await;
import io.weir.rig.ProcessReaper;
import io.weir.rig.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a service manager receives, by a socket such as systemd's. */
@Tag("slow")
class ServiceManagerTest {
  /** Prints for each datagram: the process that sent it, the time, and its lines. */
  private static final String RECEIVER =
      """
      import socket, struct, sys, time
      name = sys.argv[1]
      receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      receiver.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
      receiver.bind('\\0' + name[1:] if name.startswith('@') else name)
      print('bound', flush=True)
      while True:
          data, extra, _, _ = receiver.recvmsg(4096, 256)
          pid = struct.unpack('3i', extra[0][2])[0]
          now = time.monotonic_ns() // 1000
          print(pid, now, data.decode().replace('\\n', '|'), flush=True)
      """;

  @TempDir private Path dir;
  private Process receiver;

  @BeforeEach
  void requirePython() {
    assumeTrue(Program.find("python3").isPresent(), "no python3 is installed");
  }

  @AfterEach
  void end() {
    if (receiver != null) {
      receiver.destroyForcibly();
      ProcessReaper.died(receiver);
    }
  }

  private void receive(String name) throws IOException {
    receiver =
        new ProcessBuilder("python3", "-c", RECEIVER, name)
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve("received").toFile())
            .start();
    ProcessReaper.born(receiver);
    Await.holds("it listens", () -> received().contains("bound"));
  }

  private List<String> received() throws IOException {
    return Files.readAllLines(dir.resolve("received"));
  }

  @Test
  void reportsReadyReloadAndStopFromTheMainProcess() throws Exception {
    String socket = dir.resolve("notify").toString();
    receive(socket);
    try (ServeProcess serve = ServeProcess.ready(Map.of("NOTIFY_SOCKET", socket))) {
      Await.holds("ready", () -> received().size() == 2);
      assertThat(serve.get(serve.admin().resolve("/health/ready")).statusCode()).isEqualTo(200);
      serve.hangUp();
      Await.holds("reloaded", () -> received().size() == 4);
      serve.terminate();
      assertThat(serve.exitCode()).isZero();
      Await.holds("stopping", () -> received().size() == 5);

      List<String> lines = received().subList(1, 5);
      assertThat(lines).allMatch(line -> line.startsWith(serve.pid() + " "));
      assertThat(lines.get(0)).contains(" READY=1|STATUS=serving with ");
      assertThat(lines.get(2)).contains(" READY=1|STATUS=serving with ");
      assertThat(lines.get(3)).contains(" STOPPING=1|");
      Matcher reloading =
          Pattern.compile("\\d+ (\\d+) RELOADING=1\\|MONOTONIC_USEC=(\\d+)\\|.*")
              .matcher(lines.get(1));
      assertThat(reloading).matches();
      assertThat(Long.parseLong(reloading.group(2)))
          .as("the clock that systemd compares it with")
          .isCloseTo(Long.parseLong(reloading.group(1)), within(30_000_000L));
    }
  }

  @Test
  void abstractSocketIsReached() throws Exception {
    String name = "@weir-test-" + ProcessHandle.current().pid();
    receive(name);
    new ServiceManager(Map.of("NOTIFY_SOCKET", name)).ready("well");
    Await.holds("ready", () -> received().size() == 2);
    assertThat(received().get(1)).endsWith(" READY=1|STATUS=well");
  }

  @Test
  void missingSocketHoldsNothingUp() {
    ServiceManager manager =
        new ServiceManager(Map.of("NOTIFY_SOCKET", dir.resolve("nobody").toString()));
    manager.ready("well");
    manager.stopping();
    new ServiceManager(Map.of()).ready("well");
  }
}
