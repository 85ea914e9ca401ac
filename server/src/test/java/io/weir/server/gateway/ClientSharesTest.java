package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.rig.Await;
import io.weir.rules.match.Network;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How many connections to a server one client may use: three quarters, one HTTP/2 connection half.
 */
class ClientSharesTest {
  private static final int CONNECTIONS = 16;

  @ParameterizedTest
  @CsvSource({
    // version, connections per client, trusted, X-Forwarded-For of request i, how many are let in
    "HTTP_1_1, 20, false, , 12",
    "HTTP_2, 1, false, , 8",
    "HTTP_2, 20, false, , 12",
    "HTTP_2, 1, true, 203.0.113.%d, 16",
    "HTTP_2, 1, true, 203.0.113.1, 12",
    "HTTP_2, 1, false, 203.0.113.%d, 8",
    "HTTP_1_1, 20, true, 2001:db8::%d, 12",
    "HTTP_1_1, 20, true, 2001:db8:0:%d::1, 16",
    "HTTP_2, 1, true, , 16",
  })
  void limitsTheShareOfAClient(
      HttpVersion version, int connections, boolean trusted, String client, int expected) {
    List<HttpServerRequest> held = new CopyOnWriteArrayList<>();
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(ProtocolCombinations.UNLIMITED)
            .server("http", held::add)
            .settings(to -> to.forwarding().connections(CONNECTIONS))
            .settings(
                to ->
                    to.trustedProxies(trusted ? List.of(Network.parse("127.0.0.0/8")) : List.of()))
            .build()) {
      List<HttpClient> clients = new ArrayList<>();
      for (int i = 0; i < connections; i++) {
        clients.add(
            gatewayFixture.client(
                new HttpClientOptions()
                    .setProtocolVersion(version)
                    .setHttp2ClearTextUpgrade(false)));
      }
      List<Future<GatewayFixture.Whole>> responses = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        responses.add(
            send(clients.get(i % connections), client == null ? null : client.formatted(i)));
      }
      Await.holds(
          "each is let in or refused",
          () -> held.size() + responses.stream().filter(Future::isComplete).count() == 20);
      assertThat(held).hasSize(expected);
      held.forEach(request -> request.response().end());
      assertThat(responses.stream().map(response -> GatewayFixture.await(response).status()))
          .filteredOn(status -> status == 503)
          .hasSize(20 - expected);
      held.clear();
      Future<GatewayFixture.Whole> next =
          send(clients.get(0), client == null ? null : client.formatted(0));
      Await.holds("its share is free again", () -> held.size() == 1);
      held.get(0).response().end();
      assertThat(GatewayFixture.await(next).status()).isEqualTo(200);
    }
  }

  private static Future<GatewayFixture.Whole> send(HttpClient client, String forwardedFor) {
    return client
        .request(HttpMethod.GET, "/")
        .compose(
            request -> {
              if (forwardedFor != null) {
                request.putHeader("X-Forwarded-For", forwardedFor);
              }
              return GatewayFixture.sent(request);
            });
  }
}
