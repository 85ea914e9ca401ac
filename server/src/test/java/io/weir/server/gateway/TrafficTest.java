package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.weir.logs.RateLimitedLog;
import io.weir.rig.Await;
import io.weir.rig.Ports;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import io.weir.server.metrics.Samples;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The scraped metrics of the gateway and its servers match the traffic that was sent. */
class TrafficTest {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final String MANY = "rules: [ { name: many, limit: 100000 per second } ]";

  @Test
  void exportsEverySeriesFromTheStart() throws Exception {
    URI unused = URI.create("http://127.0.0.1:" + Ports.free() + "/base/");
    try (Server server = server(MANY, unused)) {
      Samples page = scrape(server);
      String upstream = "http://127.0.0.1:" + unused.getPort() + "/base";
      for (String code : List.of("1xx", "2xx", "3xx", "4xx", "5xx", "none")) {
        assertThat(requests(page, upstream, code)).isZero();
        assertThat(requests(page, "none", code)).isZero();
      }
      for (String kind : List.of("refused", "no_answer", "connect_timeout", "hung_up", "reset")) {
        assertThat(page.value("weir_upstream_errors_total", "upstream", upstream, "kind", kind))
            .isZero();
        assertThat(page.value("weir_gateway_errors_total", "kind", kind)).isZero();
      }
      for (String reason : List.of("connect", "closed", "refused")) {
        assertThat(
                page.value("weir_upstream_retries_total", "upstream", upstream, "reason", reason))
            .isZero();
      }
      assertThat(page.named("weir_upstream_errors_total").map(each -> each.labels().get("kind")))
          .doesNotContain("slow_body", "large_body", "busy", "no_route");
      assertThat(page.value("weir_upstream_ejections_total", "upstream", upstream)).isZero();
      assertThat(page.value("weir_upstream_ejected", "upstream", upstream)).isZero();
      assertThat(page.value("weir_upstream_response_seconds_count", "upstream", upstream)).isZero();
      assertThat(page.value("weir_gateway_held_requests")).isZero();
      assertThat(page.value("weir_reservations_open")).isZero();
      assertThat(page.value("weir_log_dropped_total", "log", "access")).isZero();
    }
  }

  @Test
  void countsEachRequestOnceByServerAndStatus() throws Exception {
    HttpServer upstream = answering();
    URI url = URI.create("http://127.0.0.1:" + upstream.getAddress().getPort());
    String rules = "rules: [ { name: few, match: { path: /few }, limit: 1 per hour } ]";
    try (Server server = server(rules, url)) {
      for (int i = 0; i < 5; i++) {
        get(server.gatewayPort(), "/200");
      }
      get(server.gatewayPort(), "/302");
      get(server.gatewayPort(), "/404");
      get(server.gatewayPort(), "/404");
      get(server.gatewayPort(), "/503");
      for (int i = 0; i < 4; i++) {
        get(server.gatewayPort(), "/few"); // the first one passes; the server answers 404
      }
      assertThat(get(server.gatewayPort(), "/a%2fb").statusCode()).isEqualTo(400);

      Samples page = scrape(server);
      String label = url.toString();
      assertThat(requests(page, label, "2xx")).isEqualTo(5);
      assertThat(requests(page, label, "3xx")).isEqualTo(1);
      assertThat(requests(page, label, "4xx")).isEqualTo(3);
      assertThat(requests(page, label, "5xx")).isEqualTo(1);
      assertThat(requests(page, "none", "4xx")).as("three refused, one malformed").isEqualTo(4);
      assertThat(page.value("weir_upstream_response_seconds_count", "upstream", label))
          .isEqualTo(10);
      assertThat(page.value("weir_upstream_response_seconds_sum", "upstream", label)).isPositive();
    } finally {
      upstream.stop(0);
    }
  }

  /** A real server is killed: its requests go to the other one, and it is ejected. */
  @Test
  void countsErrorsOfDeadServerAndRetries() throws Exception {
    HttpServer good = answering();
    HttpServer dying = answering();
    URI stays = URI.create("http://127.0.0.1:" + good.getAddress().getPort());
    URI dies = URI.create("http://127.0.0.1:" + dying.getAddress().getPort());
    try (Server server = server(MANY, stays, dies)) {
      dying.stop(0);
      int sent = 0;
      Samples page = scrape(server);
      while (page.value("weir_upstream_ejected", "upstream", dies.toString()) == 0) {
        assertThat(get(server.gatewayPort(), "/200").statusCode()).isEqualTo(200);
        sent++;
        page = scrape(server);
      }

      String label = dies.toString();
      double errors =
          page.value("weir_upstream_errors_total", "upstream", label, "kind", "refused");
      assertThat(errors).isEqualTo(3);
      assertThat(page.value("weir_upstream_retries_total", "upstream", label, "reason", "connect"))
          .isEqualTo(errors);
      assertThat(page.value("weir_upstream_ejections_total", "upstream", label)).isEqualTo(1);
      assertThat(requests(page, stays.toString(), "2xx")).isEqualTo(sent);
      assertThat(requests(page, label, "5xx")).isZero();
      assertThat(page.value("weir_gateway_errors_total", "kind", "refused")).isZero();
    } finally {
      good.stop(0);
    }
  }

  /** Alone, it leaves nothing to be retried: clients see it. */
  @Test
  void countsClosedConnectionAsErrorOfServerAndGateway() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Server server = server(MANY, URI.create("http://127.0.0.1:" + socket.getLocalPort()))) {
      hangUpOverEach(socket);
      assertThat(get(server.gatewayPort(), "/").statusCode()).isEqualTo(502);

      Samples page = scrape(server);
      String label = "http://127.0.0.1:" + socket.getLocalPort();
      assertThat(page.value("weir_upstream_errors_total", "upstream", label, "kind", "hung_up"))
          .isEqualTo(1);
      assertThat(page.value("weir_gateway_errors_total", "kind", "hung_up")).isEqualTo(1);
      assertThat(requests(page, label, "5xx")).isEqualTo(1);
      assertThat(page.value("weir_upstream_response_seconds_count", "upstream", label)).isZero();
    }
  }

  private static void hangUpOverEach(ServerSocket socket) {
    Thread thread =
        new Thread(
            () -> {
              while (!socket.isClosed()) {
                try (Socket client = socket.accept()) {
                  InputStream in = client.getInputStream();
                  while (in.read() != '\n') {
                    // to the end of the first line
                  }
                } catch (IOException e) {
                  // it is closed, and so is the loop
                }
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  /** A kept connection is closed without a response: the request is sent once more. */
  @Test
  void countsRetryAfterClosedConnection() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Server server = server(MANY, URI.create("http://127.0.0.1:" + socket.getLocalPort()))) {
      serve(socket, TrafficTest::answerOnceThenClose);
      for (int i = 0; i < 3; i++) {
        assertThat(get(server.gatewayPort(), "/").statusCode()).isEqualTo(200);
      }
      assertThat(retries(server, "http", socket)).containsExactly(0.0, 2.0, 0.0);
    }
  }

  /** An HTTP/2 server refuses a stream without processing it: the request is sent once more. */
  @Test
  void countsRetryAfterRefusedStream() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Server server = server(MANY, URI.create("h2c://127.0.0.1:" + socket.getLocalPort()))) {
      serve(socket, TrafficTest::refuseEachSecondStream);
      for (int i = 0; i < 2; i++) {
        assertThat(get(server.gatewayPort(), "/").statusCode()).isEqualTo(200);
      }
      assertThat(retries(server, "h2c", socket)).containsExactly(0.0, 0.0, 2.0);
    }
  }

  /** By the reasons connect, closed and refused. */
  private static List<Double> retries(Server server, String scheme, ServerSocket socket)
      throws Exception {
    Samples page = scrape(server);
    String upstream = scheme + "://127.0.0.1:" + socket.getLocalPort();
    assertThat(page.value("weir_upstream_errors_total", "upstream", upstream, "kind", "hung_up"))
        .isZero();
    return List.of("connect", "closed", "refused").stream()
        .map(
            reason ->
                page.value("weir_upstream_retries_total", "upstream", upstream, "reason", reason))
        .toList();
  }

  private interface Served {
    void accept(Socket client) throws IOException;
  }

  private static void serve(ServerSocket socket, Served each) {
    Thread thread =
        new Thread(
            () -> {
              while (!socket.isClosed()) {
                try (Socket client = socket.accept()) {
                  each.accept(client);
                } catch (IOException e) {
                  // the next one, unless it is closed
                }
              }
            });
    thread.setDaemon(true);
    thread.start();
  }

  private static void answerOnceThenClose(Socket client) throws IOException {
    readHead(client.getInputStream());
    client.getOutputStream().write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(UTF_8));
    readHead(client.getInputStream());
  }

  private static void readHead(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int read = in.read();
      if (read < 0) {
        throw new IOException("it ended");
      }
      head.append((char) read);
    }
  }

  /** As much of HTTP/2 as it takes. */
  private static void refuseEachSecondStream(Socket client) throws IOException {
    DataInputStream in = new DataInputStream(client.getInputStream());
    OutputStream out = client.getOutputStream();
    in.skipNBytes(24); // the preface
    out.write(frame(4, 0, 0)); // SETTINGS
    for (int streams = 0; ; ) {
      int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
      int type = in.readUnsignedByte();
      int flags = in.readUnsignedByte();
      int stream = in.readInt();
      in.skipNBytes(length);
      if (type == 4 && flags == 0) {
        out.write(frame(4, 1, 0));
      } else if (type == 1 && streams++ % 2 == 0) {
        out.write(frame(3, 0, stream, 0, 0, 0, 7)); // RST_STREAM: REFUSED_STREAM
      } else if (type == 1) {
        out.write(frame(1, 5, stream, 0x88)); // HEADERS, and the end: ":status: 200"
      }
      out.flush();
    }
  }

  private static byte[] frame(int type, int flags, int stream, int... content) {
    ByteBuffer frame = ByteBuffer.allocate(9 + content.length);
    frame.put((byte) 0).putShort((short) content.length);
    frame.put((byte) type).put((byte) flags).putInt(stream);
    for (int each : content) {
      frame.put((byte) each);
    }
    return frame.array();
  }

  /** A line like one of the last minute is not written, and is counted. */
  @Test
  void linesOfTheLogThatAreNotWrittenAreCounted() throws Exception {
    try (Server server = server(MANY, URI.create("http://127.0.0.1:" + Ports.free()))) {
      double before = scrape(server).value("weir_log_dropped_total", "log", "server");
      RateLimitedLog log = new RateLimitedLog("io.weir.server");
      for (int i = 0; i < 4; i++) {
        log.log(System.Logger.Level.WARNING, "a line of a test", null);
      }
      double after = scrape(server).value("weir_log_dropped_total", "log", "server");
      assertThat(after - before).isEqualTo(3);
    }
  }

  @Test
  void countsDisconnectedClientWithoutStatus() throws Exception {
    CountDownLatch received = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    HttpServer slow = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    slow.createContext(
        "/",
        exchange -> {
          received.countDown();
          try {
            over.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          exchange.close();
        });
    slow.start();
    URI url = URI.create("http://127.0.0.1:" + slow.getAddress().getPort());
    try (Server server = server(MANY, url)) {
      try (Socket client = new Socket("127.0.0.1", server.gatewayPort())) {
        client.getOutputStream().write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(UTF_8));
        received.await();
      }
      Await.holds("it is counted", () -> requests(scrape(server), url.toString(), "none") == 1);
    } finally {
      over.countDown();
      slow.stop(0);
    }
  }

  @Test
  void exportsDelayedRequestsAsGauge() throws Exception {
    HttpServer upstream = answering();
    URI url = URI.create("http://127.0.0.1:" + upstream.getAddress().getPort());
    String rules =
        "rules: [ { name: slow, limit: { algorithm: leaky-bucket, rate: 1 per 2s, queue: 3 } } ]";
    try (Server server = server(rules, url)) {
      get(server.gatewayPort(), "/200");
      List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        waiting.add(
            CLIENT.sendAsync(
                request(server.gatewayPort(), "/200"), HttpResponse.BodyHandlers.ofString()));
      }
      Await.holds("both wait", () -> scrape(server).value("weir_gateway_held_requests") == 2);
      waiting.forEach(each -> each.cancel(true)); // which closes their connections
      Await.holds("both left", () -> scrape(server).value("weir_gateway_held_requests") == 0);
      assertThat(requests(scrape(server), "none", "none")).isEqualTo(2);
    } finally {
      upstream.stop(0);
    }
  }

  @Test
  void exportsOpenReservationsAsGauge() throws Exception {
    AtomicInteger statuses = new AtomicInteger();
    try (Server server = server(MANY, URI.create("http://127.0.0.1:" + Ports.free()))) {
      for (int i = 0; i < 3; i++) {
        HttpRequest reserve =
            HttpRequest.newBuilder(
                    URI.create("http://127.0.0.1:" + server.servicePort() + "/v1/reserve"))
                .POST(HttpRequest.BodyPublishers.ofString("{\"attributes\":{\"user\":\"42\"}}"))
                .build();
        int status = CLIENT.send(reserve, HttpResponse.BodyHandlers.ofString()).statusCode();
        statuses.set(status);
      }
      assertThat(statuses).hasValue(200);
      assertThat(scrape(server).value("weir_reservations_open")).isEqualTo(3);
    }
  }

  private static HttpServer answering() throws IOException {
    HttpServer upstream =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    upstream.createContext(
        "/",
        exchange -> {
          String path = exchange.getRequestURI().getPath().substring(1);
          exchange.sendResponseHeaders(path.matches("\\d{3}") ? Integer.parseInt(path) : 404, -1);
          exchange.close();
        });
    upstream.start();
    return upstream;
  }

  private static double requests(Samples page, String upstream, String code) {
    return page.value("weir_gateway_requests_total", "upstream", upstream, "code", code);
  }

  private static Server server(String rules, URI... upstreams) {
    RuleSet read = RuleFiles.read("rules.yaml", rules.getBytes(UTF_8)).rules().orElseThrow();
    var settings = ServerSettings.DEMO.onFreePorts().toBuilder();
    settings.forwarding().upstreams(List.of(upstreams));
    return Server.builder(settings.build()).rules(read).start();
  }

  private static Samples scrape(Server server) throws Exception {
    return Samples.of(get(server.adminPort(), "/metrics").body());
  }

  private static HttpResponse<String> get(int port, String target) throws Exception {
    return CLIENT.send(request(port, target), HttpResponse.BodyHandlers.ofString());
  }

  private static HttpRequest request(int port, String target) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target)).build();
  }
}
