package io.weir.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.weir.rig.Await;
import io.weir.rig.CertificateAuthority;
import io.weir.rig.Program;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** SIGHUP, and settings that change while a server runs. */
@Tag("slow")
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReloadTest {
  private static final int RELOADS = 5;
  private static final int MIN_REQUESTS = 100;
  private static final int MAX_REQUESTS = 100_000;
  private static final String FINISHED = "SIGHUP: reload finished";
  private static final byte[] HTTP1 =
      "GET /v1/check?user=1 HTTP/1.1\r\nHost: weir\r\n\r\n".getBytes(UTF_8);
  private static final String GRPC = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

  @TempDir private Path dir;
  private volatile boolean isOver;

  @Test
  void hangupsUnderLoadLoseNoRequest() throws Exception {
    Path rules = Files.createDirectory(dir.resolve("rules"));
    write(rules, 0);
    ExecutorService threads = Executors.newCachedThreadPool();
    Vertx vertx = Vertx.vertx();
    try (ServeProcess serve = ServeProcess.ready("--rules", rules.toString())) {
      List<java.util.concurrent.Future<Integer>> clients = new ArrayList<>();
      AtomicInteger responses = new AtomicInteger();
      List<Callable<Integer>> loads = new ArrayList<>();
      loads.add(() -> http1(serve.service(), responses));
      loads.add(() -> http1(serve.service(), responses));
      loads.add(() -> http1(serve.gateway(), responses));
      loads.add(() -> http2(vertx, serve, ReloadTest::check, responses));
      loads.add(() -> http2(vertx, serve, ReloadTest::shouldRateLimit, responses));
      loads.forEach(each -> clients.add(threads.submit(each)));
      for (int i = 1; i <= RELOADS; i++) {
        int before = responses.get();
        Await.holds("there is load", () -> responses.get() > before + 50);
        write(rules, i);
        serve.hangUp();
        awaitReloads(serve, i);
        HttpResponse<String> check = serve.check("2");
        assertThat(check.headers().firstValue("X-RateLimit-Limit"))
            .as("the new rules hold when the reload has finished")
            .contains(Integer.toString(1_000_000 + i));
      }
      isOver = true;
      for (java.util.concurrent.Future<Integer> client : clients) {
        assertThat(client.get(1, TimeUnit.MINUTES)).isGreaterThanOrEqualTo(MIN_REQUESTS);
      }

      Files.writeString(rules.resolve("rules.yaml"), "rules: [ { name: calls, limti: 1/s } ]");
      serve.hangUp();
      awaitReloads(serve, RELOADS + 1);
      assertThat(serve.err()).contains("rules rejected, the old ones stay", "did you mean 'limit'");
      assertThat(serve.check("2").headers().firstValue("X-RateLimit-Limit"))
          .contains(Integer.toString(1_000_000 + RELOADS));
      serve.terminate();
      assertThat(serve.exitCode()).isZero();
    } finally {
      isOver = true;
      threads.shutdownNow();
      vertx.close().toCompletionStage().toCompletableFuture().join();
    }
  }

  private static void write(Path rules, int number) throws IOException {
    Files.writeString(
        rules.resolve("rules.yaml"),
        "rules: [ { name: calls, limit: { algorithm: fixed-window, rate: %d per 7d } } ]"
            .formatted(1_000_000 + number));
    Files.writeString(
        rules.resolve("envoy.yaml"),
        "domain: shop\ndescriptors: [ { key: user, rate_limit: { unit: hour, requests_per_unit: %d } } ]"
            .formatted(1_000_000 + number));
  }

  private static void awaitReloads(ServeProcess serve, int number) {
    Await.holds(
        "reload " + number,
        () -> serve.err().lines().filter(line -> line.contains(FINISHED)).count() == number);
  }

  /** One connection, which is never closed; returns the number of responses. */
  private int http1(URI port, AtomicInteger responses) throws IOException {
    try (Socket socket = new Socket(port.getHost(), port.getPort())) {
      socket.setSoTimeout(60_000);
      int count = 0;
      while (count < MAX_REQUESTS && (!isOver || count < MIN_REQUESTS)) {
        socket.getOutputStream().write(HTTP1);
        String head = head(socket.getInputStream());
        assertThat(head).startsWith("http/1.1 200 ").doesNotContain("connection: close");
        count++;
        responses.incrementAndGet();
      }
      return count;
    }
  }

  /** In small letters; the body is read too. */
  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int read = in.read();
      assertThat(read).as("end after '%s'", head).isNotNegative();
      head.append((char) Character.toLowerCase(read));
    }
    String length = head.toString().replaceFirst("(?s).*content-length: (\\d+)\r\n.*", "$1");
    in.readNBytes(Integer.parseInt(length));
    return head.toString();
  }

  private interface Call {
    Future<Void> send(HttpClient client, URI port);
  }

  /** One connection as well, by which several requests go at a time. */
  private int http2(Vertx vertx, ServeProcess serve, Call call, AtomicInteger responses)
      throws Exception {
    AtomicInteger connections = new AtomicInteger();
    HttpClient client =
        vertx
            .httpClientBuilder()
            .with(
                new HttpClientOptions()
                    .setProtocolVersion(HttpVersion.HTTP_2)
                    .setHttp2ClearTextUpgrade(false))
            .withConnectHandler(connection -> connections.incrementAndGet())
            .build();
    int count = 0;
    while (count < MAX_REQUESTS && (!isOver || count < MIN_REQUESTS)) {
      List<Future<Void>> several = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        several.add(call.send(client, serve.service()));
      }
      Future.all(several).toCompletionStage().toCompletableFuture().get(1, TimeUnit.MINUTES);
      count += several.size();
      responses.addAndGet(several.size());
    }
    assertThat(connections.get()).isEqualTo(1);
    return count;
  }

  private static Future<Void> check(HttpClient client, URI port) {
    return client
        .request(options(port, HttpMethod.GET, "/v1/check?user=1"))
        .compose(request -> request.send())
        .compose(
            response ->
                response.body().map(body -> require(response.statusCode() == 200, "status")));
  }

  private static Future<Void> shouldRateLimit(HttpClient client, URI port) {
    return client
        .request(
            options(port, HttpMethod.POST, GRPC)
                .putHeader("content-type", "application/grpc")
                .putHeader("te", "trailers"))
        .compose(request -> request.send(frame(message())))
        .compose(
            response ->
                response
                    .body()
                    .map(
                        body -> {
                          require("0".equals(response.getTrailer("grpc-status")), "grpc-status");
                          // overall_code: OK
                          return require(body.getByte(5) == 8 && body.getByte(6) == 1, "code");
                        }));
  }

  private static RequestOptions options(URI port, HttpMethod method, String path) {
    return new RequestOptions()
        .setHost(port.getHost())
        .setPort(port.getPort())
        .setMethod(method)
        .setURI(path);
  }

  private static Void require(boolean isRight, String what) {
    assertThat(isRight).as(what).isTrue();
    return null;
  }

  /** {@code domain: shop, descriptors: [ { entries: [ { user, 1 } ] } ]}. */
  private static Buffer message() {
    Buffer entry = field(1, Buffer.buffer("user")).appendBuffer(field(2, Buffer.buffer("1")));
    Buffer descriptor = field(1, entry);
    return field(1, Buffer.buffer("shop")).appendBuffer(field(2, descriptor));
  }

  private static Buffer field(int number, Buffer content) {
    return Buffer.buffer()
        .appendByte((byte) (number << 3 | 2))
        .appendByte((byte) content.length())
        .appendBuffer(content);
  }

  private static Buffer frame(Buffer message) {
    return Buffer.buffer().appendByte((byte) 0).appendInt(message.length()).appendBuffer(message);
  }

  /** The file of settings is a pipe, which holds the start up for as long as the test wants. */
  @Test
  void hangupDuringTheStartLeadsToAReloadAfterIt() throws Exception {
    Path pipe = dir.resolve("weir.yaml");
    assumeTrue(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0);
    try (ServeProcess serve = new ServeProcess(Map.of("WEIR_CONFIG", pipe.toString()))) {
      try (OutputStream settings = Files.newOutputStream(pipe)) { // it is being opened there, too
        serve.hangUp();
        settings.write("drain: 1s\n".getBytes(UTF_8));
      }
      ServeProcess.ready(serve);
      awaitReloads(serve, 1);
      assertThat(serve.check("1").statusCode()).isEqualTo(200);
      serve.terminate();
      assertThat(serve.exitCode()).isZero();
    }
  }

  @Test
  void settingsThatChangeAreTakenUpOrNamed() throws Exception {
    Path config = dir.resolve("weir.yaml");
    Path token = Files.writeString(dir.resolve("token"), "first\n");
    Path other = Files.writeString(dir.resolve("other.yaml"), "rules: [ { name: o, limit: 7/h } ]");
    Path rules = Files.writeString(dir.resolve("rules.yaml"), "rules: [ { name: r, limit: 5/h } ]");
    String start = "service_token_file: token\nmax_keys: 1000\nrules: " + rules + "\n";
    Files.writeString(config, start);
    try (ServeProcess serve = ServeProcess.ready("--config", config.toString())) {
      assertThat(limit(serve, "first")).isEqualTo("200 5");

      Files.writeString(token, "second\n");
      Await.holds("the new token", () -> limit(serve, "second").equals("200 5"));
      assertThat(limit(serve, "first")).startsWith("401");
      Await.holds(
          "it is logged",
          () -> serve.err().contains("settings reloaded: service_token (not shown)"));

      String changed = start.replace("1000", "2000").replace("rules.yaml", "other.yaml");
      Files.writeString(
          config, changed + "drain: 2s\nmax_connections: 50\naccess_log_sample: 10\n");
      Await.holds("the other rules", () -> limit(serve, "second").equals("200 7"));
      Await.holds(
          "what needs a restart is logged",
          () -> serve.err().contains("restart needed: max_keys 1000 → 2000"));
      assertThat(serve.err())
          .contains(
              "settings reloaded: rules " + rules + " → " + other,
              "max_connections 10000 → 50; drain 10s → 2s; access_log_sample 100% → 10");

      Files.writeString(config, changed + "dran: 2s\n");
      Await.holds(
          "it is rejected",
          () ->
              serve
                  .err()
                  .contains(
                      "settings rejected, the old ones stay: \n  "
                          + config
                          + ":4:1: unknown key 'dran'; did you mean 'drain'?"));

      Files.writeString(config, changed + "log_level: error\n");
      Files.writeString(token, "third\n"); // it is read after the file
      Await.holds("the level holds", () -> limit(serve, "third").equals("200 7"));
      Files.writeString(config, changed + "log_level: error\nmax_keys_: 1\n");
      serve.hangUp();
      Await.holds("errors are logged", () -> serve.err().contains("unknown key 'max_keys_'"));
      serve.terminate();
      assertThat(serve.exitCode()).isZero();
      assertThat(serve.err()).as("the rest is not").doesNotContain("SIGHUP", "SIGTERM");
      assertThat(serve.err()).doesNotContain("first").doesNotContain("second", "third");
    }
  }

  /** Each time, and so not by the look that comes once a second. */
  @Test
  void hangupMakesARenewedCertificateLiveAtOnce() throws Exception {
    CertificateAuthority certificateAuthority = new CertificateAuthority("reload");
    Path certificate = dir.resolve("tls.crt");
    Path key = dir.resolve("tls.key");
    install(certificateAuthority.issue("first"), certificate, key);
    Map<String, String> tls =
        Map.of(
            "WEIR_SERVICE_TLS_CERT",
            certificate.toString(),
            "WEIR_SERVICE_TLS_KEY",
            key.toString());
    try (ServeProcess serve = ServeProcess.ready(tls)) {
      SSLContext trusting = trusting(certificateAuthority);
      assertThat(shown(serve, trusting)).isEqualTo("CN=first");
      for (int i = 1; i <= 6; i++) {
        install(certificateAuthority.issue("renewed-" + i), certificate, key);
        serve.hangUp();
        awaitReloads(serve, i);
        assertThat(shown(serve, trusting)).isEqualTo("CN=renewed-" + i);
      }
    }
  }

  private static void install(CertificateAuthority.Identity identity, Path certificate, Path key)
      throws IOException {
    Files.copy(identity.certificate(), certificate, StandardCopyOption.REPLACE_EXISTING);
    Files.copy(identity.key(), key, StandardCopyOption.REPLACE_EXISTING);
  }

  private static SSLContext trusting(CertificateAuthority certificateAuthority) throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null);
    try (InputStream in = Files.newInputStream(certificateAuthority.certificate())) {
      Certificate root = CertificateFactory.getInstance("X.509").generateCertificate(in);
      store.setCertificateEntry("authority", root);
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  /** The subject of the certificate that a new connection to the service gets. */
  private static String shown(ServeProcess serve, SSLContext context) throws Exception {
    URI port = serve.service();
    try (Socket socket = context.getSocketFactory().createSocket(port.getHost(), port.getPort())) {
      SSLSocket secure = (SSLSocket) socket;
      secure.startHandshake();
      return secure.getSession().getPeerPrincipal().getName();
    }
  }

  @Test
  void hangupTakesUpAnotherLogLevel() throws Exception {
    Path config = Files.writeString(dir.resolve("weir.yaml"), "log_level: error\n");
    try (ServeProcess serve = ServeProcess.ready("--config", config.toString())) {
      serve.hangUp();
      Files.writeString(config, "log_level: info\n");
      serve.hangUp();
      Await.holds("lines are logged again", () -> serve.err().contains(FINISHED));
      Files.writeString(config, "log_level: error\n");
      serve.hangUp();
      Await.holds("the level is taken up", () -> isQuiet(serve));
      serve.terminate();
      assertThat(serve.exitCode()).isZero();
      assertThat(serve.err()).doesNotContain("SIGTERM");
    }
  }

  /** Whether a reload is not reported. */
  private static boolean isQuiet(ServeProcess serve) throws Exception {
    String before = serve.err();
    serve.hangUp();
    Thread.sleep(500);
    return serve.err().equals(before);
  }

  /** The status, and the limit that holds. */
  private static String limit(ServeProcess serve, String token) throws Exception {
    HttpResponse<String> check =
        java.net.http.HttpClient.newHttpClient()
            .send(
                java.net.http.HttpRequest.newBuilder(serve.service().resolve("/v1/check"))
                    .header("Authorization", "Bearer " + token)
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    return check.statusCode() + " " + check.headers().firstValue("X-RateLimit-Limit").orElse("");
  }

  /** Closing a terminal ends its programs. */
  @Test
  void closedTerminalEndsItInAnOrderlyWay() throws Exception {
    assumeTrue(Program.find("python3").isPresent(), "no python3 is installed");
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    String script =
        """
        import os, pty, sys, time
        pid, terminal = pty.fork()
        if pid == 0:
            os.environ.update(WEIR_GATEWAY_PORT='0', WEIR_SERVICE_PORT='0', WEIR_ADMIN_PORT='0')
            os.execv(sys.argv[1], sys.argv[1:])
        said = b''
        while b'ready gateway=' not in said:
            said += os.read(terminal, 4096)
        os.close(terminal)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """;
    Path output = dir.resolve("output");
    Process python =
        new ProcessBuilder(
                "python3",
                "-c",
                script,
                java.toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "serve")
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    io.weir.rig.ProcessReaper.born(python);
    assertThat(python.waitFor(2, TimeUnit.MINUTES)).isTrue();
    io.weir.rig.ProcessReaper.died(python);
    assertThat(Files.readString(output)).isEqualTo("0\n");
  }
}
