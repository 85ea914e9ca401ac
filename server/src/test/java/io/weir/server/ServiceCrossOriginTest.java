package io.weir.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a web page that a person happens to look at can do at the service port: nothing. */
class ServiceCrossOriginTest {
  private static final String CHECK = "GET /v1/check?user=1";
  private static final String JSON = "Content-Type: application/json";
  private static final String TOKEN = "a-long-enough-token";
  private static Server open;

  @BeforeAll
  static void start() {
    open = start(ServerSettings.DEMO.onFreePorts());
  }

  @AfterAll
  static void close() {
    open.close();
  }

  private static Server start(ServerSettings serverSettings) {
    return Server.start(serverSettings, rules());
  }

  private static RuleSet rules() {
    String rules = "rules: [ { name: all, limit: 1000 per hour } ]";
    return RuleFiles.read("rules.yaml", rules.getBytes(US_ASCII)).rules().orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: http://127.0.0.1", // no page is served here
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
        "Sec-Fetch-Site: same-origin",
        "Sec-Fetch-Site: "
      })
  void refusesWhatPagesSend(String header) throws IOException {
    for (String line : List.of(CHECK, "POST /v1/check", "POST /v1/reserve", "POST /json")) {
      assertThat(status(open, line, "Host: 127.0.0.1", header)).as(line).isEqualTo(403);
    }
    long before = remaining(open);
    assertThat(status(open, CHECK, "Host: 127.0.0.1", header)).isEqualTo(403);
    assertThat(remaining(open)).as("nothing was charged").isEqualTo(before - 1);
  }

  @ParameterizedTest
  @CsvSource({
    "evil.example, 403",
    "evil.example:8081, 403",
    "127.0.0.1.evil.example, 403",
    "203.0.113.7, 403",
    "[2001:db8::1], 403",
    "localhost, 200",
    "LOCALHOST:1234, 200",
    "127.0.0.2:80, 200",
    "[::1]:8081, 200",
    "weir, 200", // an upstream of nginx, a service of Docker
    "weir_upstream:8081, 200"
  })
  void onLoopbackServesHostsThatNoPageHas(String host, int status) throws IOException {
    assertThat(status(open, CHECK, "Host: " + host)).isEqualTo(status);
  }

  @Test
  void offLoopbackServesEveryHostButNoPage() throws IOException {
    ServerSettings everywhere =
        ServerSettings.DEMO.onFreePorts().toBuilder().bind("0.0.0.0").build();
    try (Server server = start(everywhere)) {
      String host = "Host: weir.example.com:8081";
      assertThat(status(server, CHECK, host, JSON)).isEqualTo(200);
      assertThat(status(server, "POST /v1/check", host)).as("malformed").isEqualTo(400);
      assertThat(status(server, CHECK, host, JSON, "Origin: http://weir.example.com:8081"))
          .isEqualTo(403);
    }
  }

  /**
   * In clear and to another machine, a page requests an image without Origin or Sec-Fetch-Site. A
   * request that a page cannot send without a preflight is not from a page.
   */
  @Test
  void offLoopbackRefusesImageRequestsOfPages() throws IOException {
    ServerSettings everywhere =
        ServerSettings.DEMO.onFreePorts().toBuilder().bind("0.0.0.0").build();
    try (Server server = start(everywhere)) {
      String[] ofImage = {
        "Host: 10.0.0.7:8081",
        "User-Agent: Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0",
        "Accept: image/avif,image/webp,*/*;q=0.8"
      };
      assertThat(status(server, CHECK, ofImage)).isEqualTo(403);
      assertThat(status(server, CHECK, ofImage[0])).isEqualTo(403);
      assertThat(status(server, CHECK.replace("GET", "HEAD"), ofImage)).isEqualTo(403);
      for (String simple :
          List.of("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "")) {
        String type = "Content-Type: " + simple;
        assertThat(status(server, CHECK, ofImage[0], type)).as(simple).isEqualTo(403);
      }
      String charset = "content-type: Application/JSON; charset=utf-8";
      assertThat(status(server, CHECK, ofImage[0], charset)).isEqualTo(200);
      assertThat(remaining(server, JSON)).as("one was charged before").isEqualTo(998);
      String[] byProxy = {ofImage[0], "X-Forwarded-Uri: /", "X-Forwarded-Method: GET"};
      assertThat(status(server, "GET /v1/auth", byProxy)).as("of a proxy").isEqualTo(200);
    }
  }

  /** On the port of this machine a GET is enough: browsers mark those of pages. */
  @Test
  void onLoopbackServesPlainGet() throws IOException {
    assertThat(status(open, CHECK, "Host: localhost:8081")).isEqualTo(200);
  }

  /** A back end that brings the token may pass on what its client's browser sent. */
  @Test
  void tokenAllowsEveryEndpoint() throws IOException {
    ServerSettings.Secret token = new ServerSettings.Secret(TOKEN);
    try (Server server =
        start(ServerSettings.DEMO.onFreePorts().toBuilder().serviceToken(token).build())) {
      String[] ofBrowser = {"Host: shop.example", "Origin: https://shop.example"};
      assertThat(status(server, CHECK, ofBrowser)).isEqualTo(401);
      assertThat(
              status(server, CHECK, ofBrowser[0], ofBrowser[1], "Authorization: Bearer " + TOKEN))
          .isEqualTo(200);
    }
  }

  /** Proxies pass on the headers of browsers, and some the host. */
  @Test
  void decidesForProxiesWhatBrowsersSend() throws IOException {
    String[] headers = {
      "Host: shop.example", "Origin: https://blog.example", "Sec-Fetch-Site: cross-site"
    };
    assertThat(status(open, "GET /v1/auth", headers)).as("what a page can send").isEqualTo(400);
    assertThat(
            status(
                open,
                "GET /v1/auth",
                headers[0],
                headers[1],
                headers[2],
                "X-Forwarded-Uri: /",
                "X-Forwarded-Method: GET"))
        .isEqualTo(200);
  }

  private static int status(Server server, String line, String... headers) throws IOException {
    return Integer.parseInt(send(server, line, headers).split(" ", 3)[1]);
  }

  private static long remaining(Server server, String... headers) throws IOException {
    String[] all = Arrays.copyOf(headers, headers.length + 1);
    all[headers.length] = "Host: localhost";
    String response = send(server, CHECK, all);
    return response
        .lines()
        .map(String::toLowerCase)
        .filter(line -> line.startsWith("x-ratelimit-remaining:"))
        .map(line -> Long.parseLong(line.substring(22).strip()))
        .findFirst()
        .orElseThrow();
  }

  private static String send(Server server, String line, String... headers) throws IOException {
    String body = line.startsWith("POST") ? "{}" : "";
    Optional<String> length =
        body.isEmpty() ? Optional.empty() : Optional.of("Content-Length: " + body.length());
    String head =
        line
            + " HTTP/1.1\r\n"
            + String.join("\r\n", headers)
            + length.map(field -> "\r\n" + field).orElse("")
            + "\r\nConnection: close\r\n\r\n"
            + body;
    try (Socket socket = new Socket("127.0.0.1", server.servicePort())) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(head.getBytes(US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), US_ASCII);
    }
  }
}
