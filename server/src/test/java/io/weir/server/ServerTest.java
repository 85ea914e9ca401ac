package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The requirements of a server before it starts. */
class ServerTest {
  private static final ServerSettings OPEN =
      ServerSettings.DEMO.onFreePorts().toBuilder().adminBind("0.0.0.0").build();

  /** However it is started: by the command, or by a program. */
  @Test
  void adminPortNeedsATokenOffLoopback() {
    assertThatThrownBy(() -> Server.start(OPEN).close())
        .isInstanceOf(CouldNotStartException.class)
        .hasMessageContaining("0.0.0.0 without a token");
  }

  @Test
  void overviewShowsPorts() throws Exception {
    try (Server server = Server.start(ServerSettings.DEMO.onFreePorts())) {
      URI page = URI.create("http://127.0.0.1:" + server.adminPort() + "/v1/overview");
      String body =
          HttpClient.newHttpClient()
              .send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.ofString())
              .body();
      assertThat(body)
          .contains(
              "\"ports\":{\"gateway\":{\"port\":%d,\"tls\":false},\"service\":{\"port\":%d,\"tls\":false},\"admin\":{\"port\":%d,\"tls\":false}}"
                  .formatted(server.gatewayPort(), server.servicePort(), server.adminPort()));
    }
  }

  /** Probes reach it where the admin port is on loopback or requires a token. */
  @Test
  void healthPortServesOnlyProbesWithoutToken() throws Exception {
    ServerSettings serverSettings =
        ServerSettings.DEMO.onFreePorts().toBuilder()
            .bind("0.0.0.0")
            .healthPort(0)
            .adminToken(new ServerSettings.Secret("secret"))
            .build();
    try (Server server = Server.start(serverSettings)) {
      URI port = URI.create("http://localhost:" + server.healthPort().getAsInt());
      assertThat(status(port.resolve("/health/live"))).isEqualTo(200);
      assertThat(status(port.resolve("/health/ready"))).isEqualTo(200);
      for (String other : List.of("/", "/metrics", "/v1/rules", "/v1/overview", "/openapi.yaml")) {
        assertThat(status(port.resolve(other))).as(other).isEqualTo(404);
      }
    }
    try (Server server = Server.start(ServerSettings.DEMO.onFreePorts())) {
      assertThat(server.healthPort()).isEmpty();
    }
  }

  private static int status(URI page) throws Exception {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(page).build(), HttpResponse.BodyHandlers.discarding())
        .statusCode();
  }

  @Test
  void adminPortWithATokenMayBindAnyAddress() {
    ServerSettings.Secret token = new ServerSettings.Secret("secret");
    try (Server server = Server.start(OPEN.toBuilder().adminToken(token).build())) {
      assertThat(server.adminPort()).isPositive();
    }
  }

  /** The system's words in the name of a file are not the system's. */
  @Test
  void aMissingCertificateIsNoPortInUse() {
    ServerSettings serverSettings =
        ServerSettings.DEMO.onFreePorts().toBuilder()
            .tlsCertificate(Path.of("in use.pem"))
            .tlsKey(Path.of("in use.key"))
            .build();
    assertThatThrownBy(() -> Server.start(serverSettings).close())
        .isInstanceOf(CouldNotStartException.class)
        .hasMessageEndingWith("in use.pem does not exist");
  }

  @Test
  void reportsPortInUseWithRemedy() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      ServerSettings serverSettings =
          ServerSettings.DEMO.onFreePorts().toBuilder().adminPort(taken.getLocalPort()).build();
      assertThatThrownBy(() -> Server.start(serverSettings).close())
          .isInstanceOf(CouldNotStartException.class)
          .hasMessageEndingWith(
              "the port is in use; choose another with --admin-port, or 0 for any");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "localhost"})
  void adminPortNeedsNoTokenOnLoopback(String address) {
    try (Server server = Server.start(OPEN.toBuilder().adminBind(address).build())) {
      assertThat(server.adminPort()).isPositive();
    }
  }
}
