package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Await;
import io.weir.rig.CertificateAuthority;
import io.weir.rig.Ports;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code weir serve} as a process: how it starts, what it says, and how it ends. */
@Tag("slow")
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ServeCommandTest {
  private static final String TWO_A_DAY =
      "rules: [ { name: calls, per: user, limit: { algorithm: fixed-window, rate: 2 per 7d } } ]";

  @TempDir private Path dir;

  @Test
  void printsAddressesAndRulesAtStart() throws Exception {
    try (ServeProcess serve = ServeProcess.ready()) {
      assertThat(serve.out())
          .contains(
              " is up\n  dashboard  " + serve.admin() + "/  open it in a browser\n",
              "  gateway    " + serve.gateway(),
              "  service    " + serve.service(),
              "  admin      " + serve.admin() + "   metrics, health, rules, keys\n",
              "  store      memory",
              "  bounds     10,000,000 keys a rule, 10,000 connections, ",
              "client  token-bucket 1 per 1s, burst 10  per ip  enforce",
              "search  fixed-window 5 per 1m            per ip  shadow",
              "  try        curl -s",
              "  watch      weir top --admin " + serve.admin() + "/\n",
              "curl -i " + serve.gateway())
          .doesNotContain("\u001b");
      assertThat(serve.err()).isEmpty();
    }
  }

  /** On any path, for any client. */
  @Test
  void demonstrationRefusesAClient() throws Exception {
    try (ServeProcess serve = ServeProcess.ready()) {
      int allowed = 0;
      HttpResponse<String> response = serve.get(serve.gateway().resolve("/a/0"));
      while (response.statusCode() == 200 && allowed < 100) {
        allowed++;
        response = serve.get(serve.gateway().resolve("/a/" + allowed));
      }
      assertThat(allowed).isBetween(10, 99);
      assertThat(response.statusCode()).isEqualTo(429);
      assertThat(response.headers().firstValue("Retry-After")).isPresent();
      assertThat(response.body()).contains("\"rule\":\"client\"");
    }
  }

  @Test
  void trustsAnAuthorityForItsUpstreamWithTheLibrariesOfTheRelease() throws Exception {
    CertificateAuthority certificateAuthority = new CertificateAuthority("one");
    CertificateAuthority.Identity server = certificateAuthority.issue("server");
    try (ServeProcess upstream =
            ServeProcess.ready(
                "--gateway-tls-cert",
                server.certificate().toString(),
                "--gateway-tls-key",
                server.key().toString());
        ServeProcess serve =
            ServeProcess.ready(
                "--upstream",
                "https://localhost:" + upstream.gateway().getPort(),
                "--upstream-ca",
                certificateAuthority.certificate().toString())) {
      assertThat(serve.get(serve.gateway().resolve("/a")).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aSignalEndsItAndFreesItsPorts() throws Exception {
    int port = Ports.free();
    try (ServeProcess serve = ServeProcess.ready(Map.of("WEIR_SERVICE_PORT", "" + port))) {
      new Socket("127.0.0.1", port).close();
      serve.terminate();
      assertThat(serve.exitCode()).as(serve.err()).isZero();
      assertThat(serve.err()).contains("SIGTERM: finishing what is under way").hasLineCount(1);
    }
    try (ServeProcess again = ServeProcess.ready(Map.of("WEIR_SERVICE_PORT", "" + port))) {
      assertThat(again.service().getPort()).isEqualTo(port);
    }
  }

  @Test
  void reportsPortInUse() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        ServeProcess serve =
            new ServeProcess(Map.of("WEIR_ADMIN_PORT", "" + taken.getLocalPort()))) {
      assertThat(serve.exitCode()).isEqualTo(3);
      assertThat(serve.err())
          .isEqualTo(
              "weir serve: the admin cannot listen on 127.0.0.1:"
                  + taken.getLocalPort()
                  + ": the port is in use; choose another with --admin-port, or 0 for any\n");
    }
  }

  @Test
  void reportsInvalidRulesLikeCheck() throws Exception {
    Path rules = dir.resolve("rules.yaml");
    Files.writeString(
        rules, "rules:\n  - { name: a, limit: { algorithm: tokn-bucket, rate: 1/s } }\n");
    try (ServeProcess serve = new ServeProcess(Map.of(), "--rules", rules.toString())) {
      assertThat(serve.exitCode()).isEqualTo(3);
      assertThat(serve.err())
          .isEqualTo(
              rules + ":2:36: unknown algorithm 'tokn-bucket'; did you mean 'token-bucket'?\n");
      assertThat(serve.out()).isEmpty();
    }
  }

  @Test
  void reloadsRulesUnderLoad() throws Exception {
    Path rules = Files.writeString(dir.resolve("rules.yaml"), TWO_A_DAY);
    try (ServeProcess serve = ServeProcess.ready("--rules", rules.toString())) {
      Await.holds("it warns", () -> serve.err().contains("rules.yaml:1:18: warning: rule 'calls'"));
      assertThat(List.of(status(serve), status(serve), status(serve)))
          .containsExactly(200, 200, 429);

      Files.writeString(rules, TWO_A_DAY.replace("2 per", "4 per"));
      Await.holds("the third is spent, and two more are allowed", () -> status(serve) == 200);
      assertThat(List.of(status(serve), status(serve))).containsExactly(200, 429);
      Await.holds(
          "the reload is logged",
          () -> serve.err().contains("rules reloaded: 1 rule; changed 'calls'"));

      Files.writeString(rules, TWO_A_DAY.replace("limit", "limti"));
      Await.holds("it is rejected", () -> serve.err().contains("did you mean 'limit'?"));
      assertThat(serve.err()).contains("rules rejected, the old ones stay: \n  " + rules + ":1:");
      assertThat(status(serve)).isEqualTo(429);
    }
  }

  private static int status(ServeProcess serve) throws Exception {
    return serve.check("42").statusCode();
  }

  @Test
  void startsWithoutRedisAndLogsIt() throws Exception {
    Path rules =
        Files.writeString(
            dir.resolve("rules.yaml"),
            TWO_A_DAY.replace("per: user", "per: user, on_failure: deny"));
    String store = "redis://:s3cret@127.0.0.1:" + Ports.free();
    try (ServeProcess serve =
        ServeProcess.ready(Map.of("WEIR_STORE", store), "--rules", rules.toString())) {
      assertThat(serve.out())
          .contains("is unavailable; until it is back, each rule's on_failure decides");
      HttpResponse<String> response = serve.check("42");
      assertThat(response.statusCode()).isEqualTo(429);
      assertThat(response.body()).contains("\"origin\":\"failure\"");
      serve.terminate();
      assertThat(serve.exitCode()).isZero();
      assertThat(serve.out() + serve.err()).doesNotContain("s3cret");
    }
  }

  @Test
  void printsNoSecret() throws Exception {
    Path config =
        Files.writeString(
            dir.resolve("weir.yaml"), "admin_token: s3cret-a\nservice_token: s3cret-b\n");
    try (ServeProcess serve =
        ServeProcess.ready("--config", config.toString(), "--admin-bind", "0.0.0.0")) {
      assertThat(serve.check("42").statusCode()).isEqualTo(401);
      serve.get(serve.gateway().resolve("/s3"));
      serve.terminate();
      assertThat(serve.exitCode()).isZero();
      assertThat(serve.out())
          .contains(
              "  dashboard  http://localhost:" + serve.admin().getPort() + "/  open it",
              "it asks for the token",
              "with the token",
              "  watch      WEIR_ADMIN_TOKEN=… weir top --admin http://localhost:");
      assertThat(serve.out() + serve.err()).doesNotContain("s3cret");
    }
    try (ServeProcess help =
        new ServeProcess(Map.of("WEIR_ADMIN_TOKEN", "s3cret", "WEIR_STORE", "s3cret"), "--help")) {
      assertThat(help.exitCode()).isZero();
      assertThat(help.out()).contains("--admin-token", "Allows %2F").doesNotContain("s3cret");
      assertThat(help.err()).as("picocli complains there").isEmpty();
    }
    try (ServeProcess wrong =
        new ServeProcess(
            Map.of("WEIR_ADMIN_TOKEN", "s3cret s3cret", "WEIR_STORE", "nosuch://s3cret@"))) {
      assertThat(wrong.exitCode()).isEqualTo(2);
      assertThat(wrong.err()).hasLineCount(2).contains("WEIR_ADMIN_TOKEN has a blank");
      assertThat(wrong.out() + wrong.err()).doesNotContain("s3cret");
    }
  }

  @Test
  void theAdminPortNeedsATokenOffLoopback() throws Exception {
    try (ServeProcess serve = new ServeProcess(Map.of(), "--admin-bind", "0.0.0.0")) {
      assertThat(serve.exitCode()).isEqualTo(3);
      assertThat(serve.err()).contains("without a token; set WEIR_ADMIN_TOKEN").hasLineCount(1);
    }
  }

  /**
   * Clients that reuse their connections lose nothing: each request that is sent gets a response.
   */
  @Test
  void drainFinishesAcceptedRequests() throws Exception {
    int clients = 8;
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try (ServeProcess serve = ServeProcess.ready()) {
      int port = serve.service().getPort();
      CountDownLatch busy = new CountDownLatch(clients * 100);
      List<Callable<String>> all = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        all.add(() -> sendUntilClose(port, busy));
      }
      List<Future<String>> ends = new ArrayList<>();
      all.forEach(each -> ends.add(threads.submit(each)));
      assertThat(busy.await(2, TimeUnit.MINUTES)).isTrue();
      serve.terminate();
      for (Future<String> end : ends) {
        assertThat(end.get(2, TimeUnit.MINUTES)).isIn("closed", "late");
      }
      assertThat(serve.exitCode()).isZero();
    } finally {
      threads.shutdownNow();
    }
  }

  private static String sendUntilClose(int port, CountDownLatch started) throws IOException {
    byte[] request = "GET /v1/check?user=1 HTTP/1.1\r\nHost: weir\r\n\r\n".getBytes(UTF_8);
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(60_000);
      long before = System.nanoTime();
      while (true) {
        long sent = send(socket, request);
        String response = response(socket.getInputStream());
        if (!response.startsWith("http/1.1 200 ")) {
          // A client that sends nothing for half a second finds its connection closed, as it should
          // be.
          boolean isLate = sent - before > Duration.ofMillis(400).toNanos();
          return isLate ? "late" : "lost: " + response;
        }
        before = sent;
        started.countDown();
        if (response.contains("connection: close")) {
          return "closed";
        }
      }
    }
  }

  /** When it was sent; if it could not be, there is no response either. */
  private static long send(Socket socket, byte[] request) throws IOException {
    try {
      socket.getOutputStream().write(request);
    } catch (SocketException closed) {
      // no response will come
    }
    return System.nanoTime();
  }

  /** Its head, in small letters; the body is read too. */
  private static String response(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int read = next(in);
      if (read < 0) {
        return "end after '" + head + "'";
      }
      head.append((char) Character.toLowerCase(read));
    }
    String length = head.toString().replaceFirst("(?s).*content-length: (\\d+)\r\n.*", "$1");
    in.readNBytes(Integer.parseInt(length));
    return head.toString();
  }

  /** A reset is an end too. */
  private static int next(InputStream in) throws IOException {
    try {
      return in.read();
    } catch (SocketException reset) {
      return -1;
    }
  }

  @Test
  void unusedConnectionDoesNotDelayTheEnd() throws Exception {
    try (ServeProcess serve = ServeProcess.ready(Map.of("WEIR_DRAIN", "1h"));
        Socket silent = new Socket("127.0.0.1", serve.service().getPort());
        Socket idle = new Socket("127.0.0.1", serve.gateway().getPort())) {
      silent.setKeepAlive(true);
      idle.getOutputStream().write("GET / HTTP/1.1\r\nHost: weir\r\n\r\n".getBytes(UTF_8));
      assertThat(idle.getInputStream().read()).isEqualTo('H');
      serve.terminate();
      assertThat(serve.exitCode()).isZero();
      assertThat(serve.err()).hasLineCount(1);
    }
  }

  @Test
  void completesRequestUnderWayAfterTheSignal() throws Exception {
    try (ServeProcess serve = ServeProcess.ready(Map.of("WEIR_DRAIN", "1h"));
        Socket slow = begin(serve)) {
      serve.terminate();
      awaitClosed(serve.service().getPort());
      slow.getOutputStream().write("ibutes\":{}}".getBytes(UTF_8));
      assertThat(response(slow.getInputStream())).startsWith("http/1.1 200 ");
      assertThat(serve.exitCode()).isZero();
    }
  }

  @Test
  void aSecondSignalEndsItAtOnce() throws Exception {
    try (ServeProcess serve = ServeProcess.ready(Map.of("WEIR_DRAIN", "1h"));
        Socket slow = begin(serve)) {
      serve.terminate();
      awaitClosed(serve.service().getPort());
      assertThat(serve.isAlive()).as("a request is under way").isTrue();
      serve.terminate();
      assertThat(serve.exitCode()).isEqualTo(143);
      assertThat(slow.getInputStream().read()).isEqualTo(-1);
    }
  }

  /** A request with a body that has begun, and that has been read so far. */
  private static Socket begin(ServeProcess serve) throws Exception {
    Socket socket = new Socket("127.0.0.1", serve.service().getPort());
    socket
        .getOutputStream()
        .write(
            "GET /v1/check?user=1 HTTP/1.1\r\nHost: weir\r\n\r\nPOST /v1/check HTTP/1.1\r\nHost: weir\r\nContent-Type: application/json\r\nContent-Length: 17\r\n\r\n{\"attr"
                .getBytes(UTF_8));
    assertThat(response(socket.getInputStream())).startsWith("http/1.1 200 ");
    return socket;
  }

  private static void awaitClosed(int port) {
    Await.holds(
        "it listens no more",
        () -> {
          try (Socket late = new Socket("127.0.0.1", port)) {
            return false;
          } catch (ConnectException e) {
            return true;
          }
        });
  }
}
