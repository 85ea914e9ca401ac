package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.rig.Await;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** During a drain, requests in progress are completed. */
class DrainingTest {
  private static final String MANY = "rules: [ { name: many, limit: 100000 per second } ]";

  @ParameterizedTest
  @EnumSource(
      value = HttpVersion.class,
      names = {"HTTP_1_1", "HTTP_2"})
  void drainCompletesRequestsInProgress(HttpVersion version) {
    List<HttpServerRequest> waiting = new CopyOnWriteArrayList<>();
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .server("http", waiting::add)
            .settings(to -> to.forwarding().responseTimeout(Duration.ofSeconds(30)))
            .build()) {
      var response =
          (gatewayFixture
              .client(version)
              .request(HttpMethod.GET, "/")
              .compose(GatewayFixture::sent));
      Await.holds("it is under way", () -> waiting.size() == 1);
      Future<Void> drained = gatewayFixture.drain(Duration.ofSeconds(30));
      gatewayFixture.vertx.setTimer(700, later -> waiting.get(0).response().end("done"));
      assertThat(GatewayFixture.await(response).body()).isEqualTo("done");
      GatewayFixture.await(drained);
    }
  }

  @Test
  void drainAnnouncesCloseToLaterRequests() {
    Await.holds("it comes in the moment that is left", DrainingTest::hasConnectionClose);
  }

  /** False if the request was sent on a connection that was already closed. */
  private static boolean hasConnectionClose() throws Exception {
    try (GatewayFixture gatewayFixture =
            new GatewayFixture(MANY, request -> request.response().end("hello"));
        Socket client = gatewayFixture.connect()) {
      String get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
      client.getOutputStream().write(get.getBytes(US_ASCII));
      assertThat(new String(client.getInputStream().readNBytes(15), US_ASCII))
          .isEqualTo("HTTP/1.1 200 OK");
      Future<Void> drained = gatewayFixture.drain(Duration.ofSeconds(30));
      client.getOutputStream().write(get.getBytes(US_ASCII));
      String response = new String(client.getInputStream().readAllBytes(), US_ASCII);
      GatewayFixture.await(drained);
      if (!response.contains("HTTP/1.1 200 OK")) {
        return false;
      }
      assertThat(response).containsIgnoringCase("\r\nconnection: close\r\n").endsWith("hello");
      return true;
    }
  }
}
