package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.util.internal.PlatformDependent;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerOptions;
import io.weir.rig.Await;
import io.weir.rig.Program;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import io.weir.server.ServerSettingsBuilder;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Minutes of load over HTTP/1.1 and HTTP/2, with and without bodies, and others beside: nothing
 * fails, and nothing is kept. {@code -Dweir.soak.seconds=30} makes it shorter.
 */
@Tag("soak")
class GatewaySoakTest {
  private static final int SECONDS = Integer.getInteger("weir.soak.seconds", 300);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long MUCH = 32L * 1024 * 1024;
  private static final Pattern FAILED = Pattern.compile("(\\d+) failed, (\\d+) errored");

  /** Each fourth request has a body. */
  private static final String SCRIPT =
      """
      local count = 0
      local body = string.rep("x", 3000)
      request = function()
        count = count + 1
        if count % 4 == 0 then
          return wrk.format("POST", "/", nil, body)
        end
        return wrk.format("GET", "/")
      end
      response = function(status, headers, body)
        if status ~= 200 then
          print(status, body)
        end
      end
      """;

  @TempDir private Path dir;
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() {
    GatewayFixture.await(vertx.close());
  }

  @Test
  void soakFailsNoRequestAndLeaksNothing() throws Exception {
    Path wrk = Program.find("wrk").orElse(null);
    Path h2load = Program.find("h2load").orElse(null);
    assumeTrue(wrk != null && h2load != null, "wrk and h2load are not installed");
    Path rules = dir.resolve("rules.yaml");
    Files.writeString(
        rules, "rules: [ { name: all, per: ip, limit: { rate: 1000000 per second } } ]\n");
    int upstream = upstream();
    ServerSettingsBuilder settings =
        ServerSettings.DEMO.onFreePorts().toBuilder().rules(List.of(rules));
    settings.forwarding().upstreams(List.of(URI.create("http://127.0.0.1:" + upstream)));
    try (Server server = Server.start(settings.build())) {
      int port = server.gatewayPort();
      load(
          wrk,
          h2load,
          port,
          Math.max(5, SECONDS / 10)); // warms up until the memory has its final size
      awaitNoConnections(port, upstream);
      long directBefore = PlatformDependent.usedDirectMemory();
      long heapBefore = heap();
      load(wrk, h2load, port, SECONDS);
      awaitNoConnections(port, upstream);
      assertThat(PlatformDependent.usedDirectMemory() - directBefore)
          .as("direct memory")
          .isLessThan(MUCH);
      assertThat(heap() - heapBefore).as("heap").isLessThan(MUCH);
    }
  }

  private int upstream() {
    Buffer large = Buffer.buffer(new byte[BackgroundClients.LARGE]);
    return GatewayFixture.await(
            vertx
                .createHttpServer(new HttpServerOptions().setHost("127.0.0.1").setPort(0))
                .webSocketHandler(socket -> socket.textMessageHandler(socket::writeTextMessage))
                .requestHandler(
                    request -> {
                      request.response().exceptionHandler(gone -> {});
                      request
                          .body()
                          .onSuccess(
                              body ->
                                  request
                                      .response()
                                      .end(
                                          request.path().equals("/large")
                                              ? large
                                              : Buffer.buffer("" + body.length())));
                    })
                .listen())
        .actualPort();
  }

  /** Connections to servers are kept for a while. */
  private static void awaitNoConnections(int port, int upstream) {
    Await.holds(() -> "all have left", PATIENCE, () -> Sockets.from(port) == 0);
    Await.holds(() -> "none is kept", PATIENCE, () -> Sockets.to(upstream) == 0);
  }

  private void load(Path wrk, Path h2load, int port, int seconds) throws Exception {
    String url = "http://127.0.0.1:" + port + "/";
    Path script = Files.writeString(dir.resolve("mixed.lua"), SCRIPT);
    Path body = Files.write(dir.resolve("body"), new byte[3000]);
    List<String> http1 =
        List.of("--timeout", "30s", "-t1", "-c32", "-d" + seconds + "s", "-s" + script, url);
    List<String> http2 = List.of("-c2", "-m16", "-D" + seconds, "--warm-up-time=1", url);
    List<String> withBodies = new ArrayList<>(http2);
    withBodies.add("--data=" + body);
    BackgroundClients backgroundClients = new BackgroundClients(port);
    List<Process> crowds =
        List.of(start(wrk, http1), start(h2load, http2), start(h2load, withBodies));
    try (backgroundClients) {
      assertThat(end(crowds.get(0), seconds))
          .contains("requests in")
          .doesNotContain("Socket errors", "Non-2xx");
      for (Process each : crowds.subList(1, 3)) {
        String output = end(each, seconds);
        Matcher failed = FAILED.matcher(output);
        assertThat(failed.find()).as(output).isTrue();
        assertThat(failed.group(1) + " " + failed.group(2)).as(output).isEqualTo("0 0");
        assertThat(output).contains(" 0 3xx, 0 4xx, 0 5xx");
      }
    } finally {
      crowds.forEach(Process::destroyForcibly);
    }
    assertThat(backgroundClients.done().values())
        .allSatisfy(count -> assertThat(count.get()).isPositive());
  }

  private static Process start(Path program, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(arguments);
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private static String end(Process process, int seconds) throws Exception {
    String output = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor(seconds + 60L, TimeUnit.SECONDS)).isTrue();
    return output;
  }

  private static long heap() throws InterruptedException {
    long min = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      System.gc();
      Thread.sleep(200);
      Runtime runtime = Runtime.getRuntime();
      min = Math.min(min, runtime.totalMemory() - runtime.freeMemory());
    }
    return min;
  }
}
