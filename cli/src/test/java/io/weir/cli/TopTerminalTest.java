package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Await;
import io.weir.rig.FaultyProxy;
import io.weir.rig.Program;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * {@code weir top} in a pseudo-terminal: what keys do, and in what state it leaves the terminal.
 */
@Tag("slow")
class TopTerminalTest {
  private static Server server;

  @TempDir private Path directory;

  @BeforeAll
  static void start() {
    Assumptions.assumeTrue(Program.find("script").isPresent(), "script(1) is not installed");
    server = Server.start(ServerSettings.DEMO.onFreePorts());
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  private TopProcess top() throws Exception {
    return new TopProcess(directory, server.adminPort());
  }

  @Test
  void drawsAndReactsToKeys() throws Exception {
    try (TopProcess top = top()) {
      top.shows("q quit  s sort: refused");
      assertThat(top.output()).contains(TopProcess.ENTER, "RULE ", "client", "MOST REFUSED");
      top.press("s");
      top.shows("sort: allowed");
      top.press("\u001b[C");
      top.shows("all rules, last 1h");
      top.press("\u001b[B");
      top.press("r");
      top.shows("login, last 1h");
      top.press("q");
      assertThat(top.exitCode()).isZero();
      assertThat(top.output()).contains(TopProcess.LEAVE);
      assertThat(top.settings("after")).isEqualTo(top.settings("before"));
    }
  }

  @Test
  void resetsAndGrantsAfterConfirmation() throws Exception {
    try (Server slow = server("{ name: slow, per: ip, limit: 3 per hour }");
        TopProcess top = new TopProcess(directory, slow.adminPort())) {
      Await.holds("a request is refused", () -> status(slow) == 429);
      top.shows("slow 12");
      top.press("\t");
      top.showsNow("x reset  g grant");
      top.press("x");
      top.showsNow("Reset slow ");
      top.press("\u001b"); // no
      top.showsNow("x reset  g grant");
      assertThat(status(slow)).isEqualTo(429);
      top.press("g");
      top.showsNow("Grant 10 permits to slow ");
      top.press("\u001b[B\u001b[B\u001b[B\u001b[A\u001b[B");
      top.showsNow("Grant 1 permit to slow ");
      top.press("\r");
      top.showsNow("Granted 1 permit to slow ");
      assertThat(List.of(status(slow), status(slow))).containsExactly(200, 429);
      top.press("x\r");
      top.showsNow("Reset to full: slow ");
      assertThat(List.of(status(slow), status(slow), status(slow), status(slow)))
          .containsExactly(200, 200, 200, 429);
      top.press("q");
      assertThat(top.exitCode()).isZero();
    }
  }

  @Test
  void showsIdsAt80Columns() throws Exception {
    try (Server slow = server("{ name: slow, per: ip, limit: 1 per hour }");
        TopProcess top = new TopProcess(directory, slow.adminPort())) {
      Await.holds("a request is refused", () -> status(slow) == 429);
      top.shows("q quit");
      top.resize(80, 24);
      HttpResponse<String> callers =
          get("http://127.0.0.1:" + slow.adminPort() + "/v1/top?window=minute&kind=refused");
      top.showsNow(callers.body().replaceFirst("(?s).*\"id\":\"(\\w+)\".*", "$1"));
      top.press("q");
      assertThat(top.exitCode()).isZero();
    }
  }

  private Server server(String rule) throws IOException {
    Path rules = Files.writeString(directory.resolve("rules.yaml"), "rules: [ " + rule + " ]\n");
    return Server.start(
        ServerSettings.DEMO.onFreePorts().toBuilder().rules(List.of(rules)).build());
  }

  private static int status(Server server) throws Exception {
    return get("http://127.0.0.1:" + server.gatewayPort() + "/top").statusCode();
  }

  private static HttpResponse<String> get(String url) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
  }

  /** And what is pressed after it is not part of it. */
  @Test
  void escapeReturnsToTheList() throws Exception {
    try (TopProcess top = top()) {
      top.shows("r only this rule");
      top.press("r");
      top.shows("r or esc all rules");
      top.press("\u001b");
      top.showsNow("r only this rule");
      top.press("\u001bs");
      top.shows("sort: allowed");
      top.press("\u001b[1;5Cs"); // an arrow with Ctrl
      top.shows("sort: share");
      top.shows("range: 1h");
      top.press("q");
      assertThat(top.exitCode()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143", "HUP, 129"})
  void restoresTerminalHoweverItEnds(String signal, int code) throws Exception {
    Assumptions.assumeFalse(isIgnored(code - 128), "as nohup and shells in the background have it");
    try (TopProcess top = top()) {
      top.shows("q quit");
      if (signal.equals("INT")) {
        top.press("\u0003");
      } else {
        top.signal(signal);
      }
      assertThat(top.exitCode()).isEqualTo(code);
      assertThat(top.output()).contains(TopProcess.LEAVE);
      assertThat(top.settings("after")).isEqualTo(top.settings("before"));
    }
  }

  /** Such a process, and all processes that it starts, ignore the signal. */
  private static boolean isIgnored(int signal) throws IOException {
    String mask =
        Files.readAllLines(Path.of("/proc/self/status")).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .findFirst()
            .orElse("SigIgn: 0");
    return (Long.parseUnsignedLong(mask.substring(7).strip(), 16) >> (signal - 1) & 1) != 0;
  }

  /** The shell continues meanwhile, in a terminal with its normal settings. */
  @Test
  void restoresTheTerminalWhileStopped() throws Exception {
    try (TopProcess top = top()) {
      top.shows("q quit");
      top.press("\u001a");
      assertThat(top.settings("stopped")).isEqualTo(top.settings("before"));
      assertThat(top.output()).contains(TopProcess.LEAVE);
      top.goOn();
      top.showsNow(TopProcess.ENTER);
      top.showsNow("s sort: refused");
      top.press("s"); // without a line end: it is delivered at once
      top.shows("sort: allowed");
      top.press("q");
      assertThat(top.exitCode()).isZero();
      assertThat(top.settings("after")).isEqualTo(top.settings("before"));
    }
  }

  @Test
  void redrawsAfterResize() throws Exception {
    try (TopProcess top = top()) {
      top.shows("q quit  s sort: refused  ↑↓ choose  r only");
      top.resize(30, 20);
      top.shows("q quit  s sort: refused  ↑↓ c…");
      top.press("q");
      assertThat(top.exitCode()).isZero();
    }
  }

  /** Nothing waits for it: the first unanswered request is still open at the end. */
  @Test
  void hangingNodeDoesNotDelayKeys() throws Exception {
    try (FaultyProxy proxy = new FaultyProxy(server.adminPort());
        TopProcess top = new TopProcess(directory, proxy.port())) {
      top.shows("q quit");
      proxy.both(FaultyProxy.Fault.STALL);
      top.press("\u001b[C");
      top.shows("range: 1h");
      top.shows("not answering since ");
      top.press("s");
      top.shows("sort: allowed");
      assertThat(top.output()).doesNotContain("did not answer within");
      top.press("q");
      assertThat(top.exitCode()).isZero();
      assertThat(top.settings("after")).isEqualTo(top.settings("before"));
    }
  }
}
