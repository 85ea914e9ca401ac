package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.rig.Await;
import io.weir.rig.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Passive health checks: failing servers are ejected. */
@Tag("slow")
class PassiveHealthTest {
  private static final String MANY = "rules: [ { name: many, limit: 100000 per second } ]";

  private static Handler<HttpServerRequest> counted(
      AtomicInteger counter, Handler<HttpServerRequest> then) {
    return request -> {
      counter.incrementAndGet();
      then.handle(request);
    };
  }

  private static void ok(HttpServerRequest request) {
    request.response().end();
  }

  @Test
  void retriesEjectedServerWithOneRequest() {
    ManualTime clock = TimeSource.manual();
    UpstreamServer upstreamServer =
        new UpstreamServer(
            URI.create("http://127.0.0.1:1"), Duration.ofSeconds(4), ProxyError.traffic(), clock);
    for (int i = 0; i < 3; i++) {
      assertThat(upstreamServer.tryUse()).isTrue();
      upstreamServer.failed();
    }
    clock.advance(Duration.ofSeconds(4).minusNanos(1));
    assertThat(upstreamServer.tryUse()).isFalse();
    clock.advance(Duration.ofNanos(1));
    assertThat(upstreamServer.tryUse()).as("one request tries it").isTrue();
    assertThat(upstreamServer.tryUse()).as("others do not, before that is answered").isFalse();
    upstreamServer.answered();
    assertThat(upstreamServer.tryUse()).isTrue();
    assertThat(upstreamServer.tryUse()).isTrue();
  }

  /** A head alone does not count as a response. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void ejectsServerThatAbortsItsResponses(boolean withLength) {
    AtomicInteger bad = new AtomicInteger();
    AtomicInteger good = new AtomicInteger();
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .server("http", counted(bad, GatewayFixture.breaksOff(withLength)))
            .server("http", counted(good, PassiveHealthTest::ok))
            .build()) {
      for (int i = 0; i < 16; i++) {
        var body = gatewayFixture.body(HttpVersion.HTTP_1_1);
        Await.holds("it is over", body::isComplete);
      }
    }
    assertThat(bad).as("three in a row are enough").hasValue(3);
    assertThat(good).hasValue(13);
  }

  @Test
  void ejectsServerThatDoesNotReadBodies() throws IOException {
    AtomicInteger bad = new AtomicInteger();
    ManualTime clock = TimeSource.manual();
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .clock(clock)
            .server("http", counted(bad, HttpServerRequest::pause))
            .server("http", request -> request.body().onSuccess(all -> ok(request)))
            .settings(to -> to.forwarding().bodyTimeout(Duration.ofSeconds(30)))
            .build()) {
      while (bad.get() < 3) {
        HttpClientRequest request =
            GatewayFixture.await(
                gatewayFixture.client(HttpVersion.HTTP_2).request(HttpMethod.POST, "/"));
        request.exceptionHandler(known -> {});
        request.send(Buffer.buffer(new byte[12_000_000]));
        GatewayFixture.awaitTimeout(clock, request.response());
      }
      for (int i = 0; i < 4; i++) {
        assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 200 ");
      }
      assertThat(bad).hasValue(3);
    }
  }

  /** The server accepts connections and never responds. */
  @Test
  void retriesOtherServerIfOneIsSilent() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        GatewayFixture gatewayFixture =
            new GatewayFixture.Builder(MANY)
                .upstream(URI.create("h2c://127.0.0.1:" + silent.getLocalPort()))
                .server("h2c", PassiveHealthTest::ok)
                .settings(to -> to.forwarding().connectTimeout(Duration.ofSeconds(2)))
                .build()) {
      for (int i = 0; i < 4; i++) {
        assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 200 ");
      }
    }
  }

  @Test
  void retryUsesTheNextServerInTurn() throws IOException {
    AtomicInteger one = new AtomicInteger();
    AtomicInteger two = new AtomicInteger();
    int closedPort = Ports.free();
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(MANY)
            .upstream(URI.create("http://127.0.0.1:" + closedPort))
            .server("http", counted(one, PassiveHealthTest::ok))
            .server("http", counted(two, PassiveHealthTest::ok))
            .build()) {
      for (int i = 0; i < 6; i++) {
        assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 200 ");
      }
    }
    assertThat(List.of(one.get(), two.get())).containsOnly(3);
  }
}
