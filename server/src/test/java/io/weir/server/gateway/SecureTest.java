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
import io.weir.rig.Authority;
import io.weir.rig.Until;
import io.weir.server.http.TlsFiles;
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
class SecureTest {
  private static final String MANY = "rules: [ { name: many, limit: 100000 per second } ]";
  private static final Authority AUTHORITY = Secured.AUTHORITY;

  /** A server that responds with the HTTP version of the request. */
  private static URI server(Stage.Builder builder, Authority.Identity identity, boolean isHttp2) {
    return Secured.listen(
        builder.vertx,
        identity,
        isHttp2,
        request -> request.response().end(request.version().name()));
  }

  @ParameterizedTest
  @CsvSource({"true, HTTP_2", "false, HTTP_1_1"})
  void negotiatesBestVersionOfTheServer(boolean isHttp2, String spoken) throws Exception {
    Stage.Builder builder = new Stage.Builder(MANY);
    URI url = server(builder, Secured.SERVER, isHttp2);
    builder.upstream(url).settings(to -> to.forwarding().ca(AUTHORITY.certificate()));
    try (Stage stage = builder.build()) {
      for (int i = 0; i < 3; i++) {
        assertThat(stage.get()).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n" + spoken);
      }
      WebSocket socket =
          Stage.await(
              stage
                  .webSockets()
                  .connect(
                      new WebSocketConnectOptions().setHost("127.0.0.1").setPort(stage.port())));
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
    Stage.Builder builder = new Stage.Builder(MANY);
    URI url = Secured.listen(builder.vertx, Secured.SERVER, false, waiting::add);
    builder
        .upstream(url)
        .settings(
            to ->
                to.forwarding()
                    .ca(AUTHORITY.certificate())
                    .connections(3)
                    .responseTimeout(Duration.ofSeconds(60)));
    try (Stage stage = builder.build()) {
      var client = stage.client(HttpVersion.HTTP_2);
      for (int i = 0; i < 3; i++) {
        client.request(HttpMethod.GET, "/").compose(HttpClientRequest::send);
      }
      Until.holds("all connections are in use", () -> waiting.size() == 3);
      assertThat(stage.get()).startsWith("HTTP/1.1 503 ").contains("\"error\":\"overloaded\"");
    }
  }

  @ParameterizedTest
  @CsvSource({"stranger", "elsewhere", "expired"})
  void aServerThatIsNotWhoItShouldBeIs502(String who) throws Exception {
    Authority.Identity identity =
        switch (who) {
          case "stranger" -> new Authority("other").issue("server");
          case "elsewhere" -> AUTHORITY.issueForHost("elsewhere", "elsewhere.example");
          default -> AUTHORITY.issueExpired("expired");
        };
    Stage.Builder builder = new Stage.Builder(MANY);
    URI url = server(builder, identity, true);
    builder.upstream(url).settings(to -> to.forwarding().ca(AUTHORITY.certificate()));
    try (Stage stage = builder.build()) {
      assertThat(stage.get())
          .startsWith("HTTP/1.1 502 ")
          .contains("the certificate of the upstream server is not trusted");
    }
  }

  @ParameterizedTest
  @CsvSource({"HTTP_2", "HTTP_1_1"})
  void servesClientsOverTls(HttpVersion version) {
    Authority.Identity identity = AUTHORITY.issue("gateway");
    try (Stage stage =
        new Stage.Builder(MANY)
            .server("http", request -> request.response().end(request.getHeader("Forwarded")))
            .tls(new TlsFiles(identity.certificate(), identity.key(), Optional.empty()))
            .build()) {
      var client =
          stage.client(
              new HttpClientOptions()
                  .setSsl(true)
                  .setUseAlpn(true)
                  .setProtocolVersion(version)
                  .setVerifyHost(false)
                  .setTrustOptions(
                      new PemTrustOptions().addCertPath(AUTHORITY.certificate().toString())));
      Stage.Whole whole = Stage.await(client.request(HttpMethod.GET, "/").compose(Stage::sent));
      assertThat(whole.response().version()).isEqualTo(version);
      assertThat(whole.body()).contains("proto=https");
    }
  }
}
