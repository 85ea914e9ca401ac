package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.util.internal.PlatformDependent;
import io.weir.rig.Program;
import io.weir.rig.Until;
import io.weir.server.Server;
import io.weir.server.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Minutes of load over HTTP/1.1 and HTTP/2: nothing fails, and nothing is kept. */
@Tag("soak")
class GatewaySoakTest {
  private static final int SECONDS = Integer.getInteger("weir.soak.seconds", 300);
  private static final Pattern FAILED = Pattern.compile("(\\d+) failed, (\\d+) errored");

  @TempDir private Path dir;

  @Test
  void nothingFailsAndNothingIsKept() throws Exception {
    Path wrk = Program.find("wrk").orElse(null);
    Path h2load = Program.find("h2load").orElse(null);
    assumeTrue(wrk != null && h2load != null, "wrk and h2load are not installed");
    Path rules = dir.resolve("rules.yaml");
    Files.writeString(
        rules, "rules: [ { name: all, per: ip, limit: { rate: 1000000 per second } } ]\n");
    Settings settings = Settings.DEMO.onFreePorts().toBuilder().rules(List.of(rules)).build();
    try (Server server = Server.start(settings)) { // before the echo API
      String url = "http://127.0.0.1:" + server.gatewayPort() + "/";
      load(wrk, h2load, url, Math.max(5, SECONDS / 10)); // warm, and as large as it gets
      long directBefore = PlatformDependent.usedDirectMemory();
      long heapBefore = heap();
      load(wrk, h2load, url, SECONDS);
      assertThat(PlatformDependent.usedDirectMemory() - directBefore)
          .as("direct memory")
          .isLessThan(32L * 1024 * 1024);
      assertThat(heap() - heapBefore).as("heap").isLessThan(32L * 1024 * 1024);
      long process = ProcessHandle.current().pid();
      Until.holds("connections are closed when nobody uses them", () -> openSockets(process) < 100);
    }
  }

  private static void load(Path wrk, Path h2load, String url, int seconds) throws Exception {
    Process one =
        start(
            List.of(wrk.toString(), "--timeout", "30s", "-t1", "-c32", "-d" + seconds + "s", url));
    Process two =
        start(List.of(h2load.toString(), "-c4", "-m16", "-D" + seconds, "--warm-up-time=1", url));
    String ofWrk = end(one, seconds);
    String ofH2load = end(two, seconds);
    assertThat(ofWrk).contains("requests in").doesNotContain("Socket errors", "Non-2xx");
    Matcher failed = FAILED.matcher(ofH2load);
    assertThat(failed.find()).as(ofH2load).isTrue();
    assertThat(failed.group(1) + " " + failed.group(2)).as(ofH2load).isEqualTo("0 0");
  }

  private static Process start(List<String> command) throws IOException {
    return new ProcessBuilder(new ArrayList<>(command)).redirectErrorStream(true).start();
  }

  private static String end(Process process, int seconds) throws Exception {
    String output = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor(seconds + 60L, TimeUnit.SECONDS)).isTrue();
    return output;
  }

  private static long heap() throws InterruptedException {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      System.gc();
      Thread.sleep(200);
      Runtime runtime = Runtime.getRuntime();
      least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
    }
    return least;
  }

  private static long openSockets(long process) throws IOException {
    try (var files = Files.list(Path.of("/proc/" + process + "/fd"))) {
      return files
          .filter(
              file -> {
                try {
                  return Files.readSymbolicLink(file).toString().startsWith("socket:");
                } catch (IOException e) {
                  return false;
                }
              })
          .count();
    }
  }
}
