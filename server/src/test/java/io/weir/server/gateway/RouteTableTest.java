package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rig.Ports;
import io.weir.server.Forwarding.Route;
import java.io.IOException;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Selection of a server, and retries on other servers. */
class RouteTableTest {
  private static final String MANY = "rules: [ { name: many, limit: 100000 per second } ]";

  private static void answer(HttpServerRequest request, String name) {
    request.response().putHeader("X-Server", name).end(name);
  }

  private static URI url(HttpServer server) {
    return URI.create("http://127.0.0.1:" + server.actualPort());
  }

  @ParameterizedTest
  @CsvSource({
    "shop.example, /, fallback",
    "shop.example, /api, api",
    "shop.example, /api?x=/other, api",
    "shop.example, /api/x, api",
    "shop.example, /apis, fallback",
    "shop.example, //api/./x, api",
    "shop.example, /%61pi, api",
    "shop.example, /x/../api;v=1/y, api",
    "shop.example, /api/v2, apiv2",
    "shop.example, /api/v2/z, apiv2",
    "shop.example, /api/v22, api",
    "img.example, /, images",
    "IMG.example:8080, /, images",
    "img.example., /, images",
    "a.img.example, /, anyimages",
    "b.a.img.example, /, anyimages",
    "img.example.evil, /, fallback",
    "evilimg.example, /, fallback",
    "img.example, /api, api",
  })
  void longestPathWinsThenMostSpecificHost(String host, String target, String expected)
      throws IOException {
    GatewayFixture.Builder builder =
        new GatewayFixture.Builder(MANY).server("http", request -> answer(request, "fallback"));
    List<Route> routes = new ArrayList<>();
    add(routes, builder, "img.example", "/", "images");
    add(routes, builder, "*.img.example", "/", "anyimages");
    add(routes, builder, null, "/api", "api");
    add(routes, builder, null, "/api/v2", "apiv2");
    builder.settings(to -> to.forwarding().routes(routes));
    try (GatewayFixture gatewayFixture = builder.build()) {
      assertThat(
              gatewayFixture.raw(
                  "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n"))
          .endsWith("\r\n\r\n" + expected);
    }
  }

  private static void add(
      List<Route> routes, GatewayFixture.Builder builder, String host, String path, String name) {
    HttpServer server = GatewayFixture.listen(builder.vertx, request -> answer(request, name));
    routes.add(new Route(Optional.ofNullable(host), path, List.of(url(server))));
  }

  @Test
  void whereThereIsNoRouteItIs404AndLimitedAllTheSame() throws IOException {
    GatewayFixture.Builder builder =
        new GatewayFixture.Builder("rules: [ { name: one, limit: 1 per hour } ]");
    List<Route> routes = new ArrayList<>();
    add(routes, builder, null, "/api", "api");
    builder.settings(to -> to.forwarding().routes(routes));
    try (GatewayFixture gatewayFixture = builder.build()) {
      assertThat(gatewayFixture.send("GET /"))
          .startsWith("HTTP/1.1 404 ")
          .contains("\"error\":\"no_route\"")
          .containsIgnoringCase("ratelimit: \"one\";r=0");
      assertThat(gatewayFixture.send("GET /")).startsWith("HTTP/1.1 429 ");
    }
  }

  @Test
  void usesServersInTurn() throws IOException {
    AtomicInteger one = new AtomicInteger();
    AtomicInteger two = new AtomicInteger();
    AtomicInteger three = new AtomicInteger();
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .server("http", request -> count(request, one))
            .server("http", request -> count(request, two))
            .server("h2c", request -> count(request, three))
            .build()) {
      for (int i = 0; i < 30; i++) {
        assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 200 ");
      }
    }
    assertThat(List.of(one.get(), two.get(), three.get())).containsOnly(10);
  }

  private static void count(HttpServerRequest request, AtomicInteger counter) {
    counter.incrementAndGet();
    request.response().end();
  }

  /** Requests with bodies too: nothing of them was sent when connecting failed. */
  @ParameterizedTest
  @CsvSource({"GET, 0", "POST, 5", "POST, 100000"})
  void retriesOtherServerIfConnectFails(String method, int size) throws IOException {
    AtomicInteger bytes = new AtomicInteger();
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .upstream(URI.create("http://127.0.0.1:" + Ports.free()))
            .server(
                "http",
                request ->
                    request
                        .body()
                        .onSuccess(
                            body -> {
                              bytes.set(body.length());
                              request.response().end();
                            }))
            .build()) {
      for (int i = 0; i < 8; i++) {
        bytes.set(-1);
        assertThat(
                gatewayFixture.raw(
                    method
                        + " / HTTP/1.1\r\nHost: a\r\nContent-Length: "
                        + size
                        + "\r\nConnection: close\r\n\r\n"
                        + "b".repeat(size)))
            .startsWith("HTTP/1.1 200 ");
        assertThat(bytes).hasValue(size);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"502", "503", "504"})
  void ejectsServerThatKeepsFailing(int status) throws IOException {
    AtomicInteger bad = new AtomicInteger();
    AtomicInteger good = new AtomicInteger();
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .server(
                "http",
                request -> {
                  bad.incrementAndGet();
                  request.response().setStatusCode(status).end();
                })
            .server("http", request -> count(request, good))
            .build()) {
      for (int i = 0; i < 20; i++) {
        gatewayFixture.get();
      }
    }
    assertThat(bad).as("three in a row are enough").hasValue(3);
    assertThat(good).hasValue(17);
  }

  /** Other statuses are not failures, and a good response resets the count. */
  @Test
  void keepsServerThatFailsNowAndThen() throws IOException {
    AtomicInteger received = new AtomicInteger();
    AtomicInteger other = new AtomicInteger();
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .server(
                "http",
                request -> {
                  int now = received.incrementAndGet();
                  request.response().setStatusCode(now % 3 == 0 ? 500 : 503).end();
                })
            .server("http", request -> count(request, other))
            .build()) {
      for (int i = 0; i < 20; i++) {
        gatewayFixture.get();
      }
    }
    assertThat(received).hasValue(10);
  }

  @Test
  void triesEjectedServersIfAllAreEjected() throws IOException {
    AtomicInteger received = new AtomicInteger();
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .server(
                "http",
                request -> {
                  received.incrementAndGet();
                  request.response().setStatusCode(503).end();
                })
            .build()) {
      for (int i = 0; i < 10; i++) {
        assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 503 ");
      }
    }
    assertThat(received).hasValue(10);
  }

  @Test
  void unreachableServersAre502() throws IOException {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .upstream(URI.create("http://127.0.0.1:" + Ports.free()))
            .upstream(URI.create("http://127.0.0.1:" + Ports.free()))
            .build()) {
      assertThat(gatewayFixture.get())
          .startsWith("HTTP/1.1 502 ")
          .contains("refused the connection")
          .containsIgnoringCase("ratelimit: \"many\";r=");
    }
  }

  @Test
  void unknownHostNameIs502() throws IOException {
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .upstream(URI.create("http://nowhere.invalid"))
            .lookup(
                host -> {
                  throw new UnknownHostException(host);
                })
            .build()) {
      assertThat(gatewayFixture.get())
          .startsWith("HTTP/1.1 502 ")
          .contains("host name of the upstream server");
    }
  }

  @Test
  void prefixesTargetWithPathOfTheUpstreamUrl() throws IOException {
    GatewayFixture.Builder builder = new GatewayFixture.Builder(MANY);
    HttpServer server =
        GatewayFixture.listen(builder.vertx, request -> request.response().end(request.uri()));
    try (GatewayFixture gatewayFixture =
        builder.upstream(URI.create(url(server) + "/base/")).build()) {
      assertThat(gatewayFixture.send("GET /a?b")).endsWith("\r\n\r\n/base/a?b");
    }
  }
}
