package io.weir.server.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.decision.RuleSource;
import io.weir.server.Server;
import io.weir.server.ServerSettings;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Slashes that are part of a name, in every front that reads a path. */
class EncodedSlashesTest {
  private static final String RULES =
      """
      rules:
        - { name: name, match: { path: "/files/{id}" }, per: id, limit: 3 per hour }
        - { name: deep, match: { path: "/files/*/*" }, limit: 0 per hour }
      """;

  private static Server start(boolean areAllowed) {
    ServerSettings serverSettings =
        ServerSettings.DEMO.onFreePorts().toBuilder().encodedSlashes(areAllowed).build();
    return Server.builder(serverSettings).rules(RuleSource.of(Service.rules(RULES))).start();
  }

  private static String send(int port, String target, String body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + target))
            .timeout(Duration.ofSeconds(30));
    if (!body.isEmpty()) {
      request.POST(HttpRequest.BodyPublishers.ofString(body, UTF_8));
    }
    if (headers.length > 0) {
      request.headers(headers);
    }
    HttpResponse<String> response =
        HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString(UTF_8));
    return response.statusCode()
        + " "
        + response.headers().firstValue("X-RateLimit-Remaining").orElse("-");
  }

  private static String auth(Server server, String target)
      throws IOException, InterruptedException {
    String[] headers = {"X-Original-URI", target, "X-Original-Method", "GET"};
    return send(server.servicePort(), "/v1/auth", "", headers);
  }

  private static String checkBody(String path) {
    return "{\"attributes\":{\"path\":\"" + path + "\"}}";
  }

  /** All of them are one bucket. */
  @Test
  void allowedEncodedSlashesArePartOfASegmentEverywhere() throws Exception {
    try (Server server = start(true)) {
      assertThat(send(server.gatewayPort(), "/files/a%2Fb", "")).isEqualTo("200 2");
      assertThat(auth(server, "/files/./a%2fb?x=%2F")).isEqualTo("200 1");
      assertThat(send(server.servicePort(), "/v1/reserve", checkBody("/files/a%2Fb")))
          .isEqualTo("200 0");
      assertThat(send(server.servicePort(), "/v1/check", checkBody("/files//a%2fb")))
          .isEqualTo("429 0");
      assertThat(send(server.servicePort(), "/v1/refund", checkBody("/files/a%2Fb")))
          .startsWith("200");
      assertThat(send(server.servicePort(), "/v1/check?path=%2Ffiles%2Fa%252Fb", ""))
          .as("in a query it is escaped once more")
          .isEqualTo("200 0");
      assertThat(auth(server, "/files/a%2F..%2Fb")).as("dots between them").isEqualTo("400 -");
      assertThat(auth(server, "/files/%61")).as("another").isEqualTo("200 2");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void refusesEncodedSlashesEverywhereByDefault(boolean isLower) throws Exception {
    String path = isLower ? "/files/a%2fb" : "/files/a%2Fb";
    try (Server server = start(false)) {
      assertThat(send(server.gatewayPort(), path, "")).isEqualTo("400 -");
      assertThat(auth(server, path)).isEqualTo("400 -");
      assertThat(send(server.servicePort(), "/v1/check", checkBody(path))).isEqualTo("400 -");
      assertThat(send(server.servicePort(), "/v1/reserve", checkBody(path))).isEqualTo("400 -");
      assertThat(send(server.servicePort(), "/v1/refund", checkBody(path))).isEqualTo("400 -");
    }
  }
}
