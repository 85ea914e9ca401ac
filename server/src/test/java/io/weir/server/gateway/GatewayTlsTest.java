package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.net.PemTrustOptions;
import io.weir.rig.Await;
import io.weir.rig.CertificateAuthority;
import io.weir.server.connection.CertificateFiles;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** TLS on both sides of the gateway. */
class GatewayTlsTest {
  private static final String MANY = "rules: [ { name: many, limit: 100000 per second } ]";
  private static final CertificateAuthority AUTHORITY = TlsSockets.AUTHORITY;

  /** A server that responds with the HTTP version of the request. */
  private static URI server(
      GatewayFixture.Builder builder, CertificateAuthority.Identity identity, boolean isHttp2) {
    return TlsSockets.listen(
        builder.vertx,
        identity,
        isHttp2,
        request -> request.response().end(request.version().name()));
  }

  @ParameterizedTest
  @CsvSource({"true, HTTP_2", "false, HTTP_1_1"})
  void negotiatesBestVersionOfTheServer(boolean isHttp2, String spoken) throws Exception {
    GatewayFixture.Builder builder = new GatewayFixture.Builder(MANY);
    URI url = server(builder, TlsSockets.SERVER, isHttp2);
    builder.upstream(url).settings(to -> to.forwarding().ca(AUTHORITY.certificate()));
    try (GatewayFixture gatewayFixture = builder.build()) {
      for (int i = 0; i < 3; i++) {
        assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n" + spoken);
      }
      WebSocket socket =
          GatewayFixture.await(
              gatewayFixture
                  .webSockets()
                  .connect(
                      new WebSocketConnectOptions()
                          .setHost("127.0.0.1")
                          .setPort(gatewayFixture.port())));
      CompletableFuture<String> echo = new CompletableFuture<>();
      socket.textMessageHandler(echo::complete);
      socket.writeTextMessage("hello");
      assertThat(echo.get(30, TimeUnit.SECONDS)).isEqualTo("hello");
    }
  }

  /** A server with HTTP/1.1 only has a fixed number of connections and no queue. */
  @Test
  void refusesAtOnceIfNoConnectionIsFree() throws Exception {
    List<HttpServerRequest> waiting = new CopyOnWriteArrayList<>();
    GatewayFixture.Builder builder = new GatewayFixture.Builder(MANY);
    URI url = TlsSockets.listen(builder.vertx, TlsSockets.SERVER, false, waiting::add);
    builder
        .upstream(url)
        .settings(
            to ->
                to.forwarding()
                    .ca(AUTHORITY.certificate())
                    .connections(3)
                    .responseTimeout(Duration.ofSeconds(60)));
    try (GatewayFixture gatewayFixture = builder.build()) {
      var client = gatewayFixture.client(HttpVersion.HTTP_2);
      for (int i = 0; i < 3; i++) {
        client.request(HttpMethod.GET, "/").compose(HttpClientRequest::send);
      }
      Await.holds("all connections are in use", () -> waiting.size() == 3);
      assertThat(gatewayFixture.get())
          .startsWith("HTTP/1.1 503 ")
          .contains("\"error\":\"overloaded\"");
    }
  }

  @ParameterizedTest
  @CsvSource({"stranger", "elsewhere", "expired"})
  void serverWithTheWrongCertificateIs502(String certificate) throws Exception {
    CertificateAuthority.Identity identity =
        switch (certificate) {
          case "stranger" -> new CertificateAuthority("other").issue("server");
          case "elsewhere" -> AUTHORITY.issueForHost("elsewhere", "elsewhere.example");
          default -> AUTHORITY.issueExpired("expired");
        };
    GatewayFixture.Builder builder = new GatewayFixture.Builder(MANY);
    URI url = server(builder, identity, true);
    builder.upstream(url).settings(to -> to.forwarding().ca(AUTHORITY.certificate()));
    try (GatewayFixture gatewayFixture = builder.build()) {
      assertThat(gatewayFixture.get())
          .startsWith("HTTP/1.1 502 ")
          .contains("the certificate of the upstream server is not trusted");
    }
  }

  @ParameterizedTest
  @CsvSource({"HTTP_2", "HTTP_1_1"})
  void servesClientsOverTls(HttpVersion version) {
    CertificateAuthority.Identity identity = AUTHORITY.issue("gateway");
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .server("http", request -> request.response().end(request.getHeader("Forwarded")))
            .tls(new CertificateFiles(identity.certificate(), identity.key(), Optional.empty()))
            .build()) {
      var client =
          gatewayFixture.client(
              new HttpClientOptions()
                  .setSsl(true)
                  .setUseAlpn(true)
                  .setProtocolVersion(version)
                  .setVerifyHost(false)
                  .setTrustOptions(
                      new PemTrustOptions().addCertPath(AUTHORITY.certificate().toString())));
      GatewayFixture.Whole whole =
          GatewayFixture.await(client.request(HttpMethod.GET, "/").compose(GatewayFixture::sent));
      assertThat(whole.response().version()).isEqualTo(version);
      assertThat(whole.body()).contains("proto=https");
    }
  }
}
