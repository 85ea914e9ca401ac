package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.weir.Store;
import io.weir.rig.Await;
import io.weir.rig.FaultyProxy;
import io.weir.rig.SharedRedis;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A leaky bucket delays requests; a client that disconnects releases its reservation. */
class DelayedRequestsTest {
  private static final String SLOWLY =
      "rules: [ { name: slowly, limit:"
          + " { algorithm: leaky-bucket, rate: 1 per minute, queue: 1 } } ]";

  @ParameterizedTest
  @EnumSource(
      value = HttpVersion.class,
      names = {"HTTP_1_1", "HTTP_2"})
  void disconnectReleasesReservation(HttpVersion version) {
    AtomicInteger arrived = new AtomicInteger();
    try (GatewayFixture gatewayFixture =
        new GatewayFixture(
            SLOWLY,
            request -> {
              arrived.incrementAndGet();
              request.response().end();
            })) {
      var first =
          gatewayFixture
              .client(version)
              .request(HttpMethod.GET, "/")
              .compose(HttpClientRequest::send);
      assertThat(GatewayFixture.await(first).statusCode()).isEqualTo(200);
      for (int i = 0; i < 3; i++) { // there is one place, and it comes back each time
        HttpClientRequest held = held(gatewayFixture, version);
        assertThat(held.response().isComplete()).isFalse();
        held.reset();
      }
      held(gatewayFixture, version); // so the earlier ones are certainly finished
      assertThat(arrived).as("aborted requests are not forwarded").hasValue(1);
    }
  }

  /** A delayed request takes memory, and more if its body has begun. */
  @Test
  void limitsDelayedRequests() throws Exception {
    int max = 64 * 1024 / (64 + 4); // of those that have a body
    int tooMany = 20;
    List<Socket> clients = new ArrayList<>();
    try (GatewayFixture gatewayFixture =
        new GatewayFixture.Builder(SLOWLY.replace("queue: 1 ", "queue: 100000 "))
            .server("http", request -> request.body().onSuccess(b -> request.response().end()))
            .settings(to -> to.forwarding().addressShare(100))
            .build()) {
      assertThat(gatewayFixture.get()).as("the first does not wait").startsWith("HTTP/1.1 200 ");
      for (int i = 0; i < max + tooMany; i++) {
        clients.add(post(gatewayFixture));
      }
      Await.holds(
          "some are refused",
          () -> clients.stream().filter(DelayedRequestsTest::isAnswered).count() >= tooMany);
      for (Socket client : clients) {
        if (isAnswered(client)) {
          assertThat(new String(client.getInputStream().readNBytes(12), US_ASCII))
              .isEqualTo("HTTP/1.1 503");
        }
      }
      assertThat(clients.stream().filter(DelayedRequestsTest::isAnswered).count())
          .isEqualTo(tooMany);
      for (Socket client : clients) {
        client.close();
      }
      Await.holds(
          "there is capacity again",
          () -> {
            try (Socket client = post(gatewayFixture)) {
              client.setSoTimeout(500);
              return client.getInputStream().read() < 0;
            } catch (SocketTimeoutException held) {
              return true;
            }
          });
    }
  }

  @Test
  void oneAddressCannotUseUpTheMemoryForDelayedRequests() throws Exception {
    int max = 64 * 1024 / (64 + 4);
    String quick = "{ algorithm: leaky-bucket, rate: 1 per second, queue: 1 }";
    String rules =
        SLOWLY
            .replace("queue: 1 ", "queue: 100000 ")
            .replace("slowly,", "slowly, match: { path: / },")
            .replace(" ]", ", { name: quick, match: { path: /quick }, limit: " + quick + " } ]");
    List<Socket> clients = new ArrayList<>();
    try (GatewayFixture gatewayFixture =
        new GatewayFixture(
            rules, request -> request.body().onSuccess(b -> request.response().end()))) {
      for (int i = 0; i < max + 20; i++) {
        clients.add(post(gatewayFixture));
      }
      // One is forwarded, the others wait for minutes or are refused.
      Await.holds(
          "some are refused",
          () -> clients.stream().filter(DelayedRequestsTest::isAnswered).count() >= 20);
      try (Socket honest = gatewayFixture.connectFrom("127.0.0.2")) {
        for (int i = 0; i < 2; i++) { // the second is delayed
          honest
              .getOutputStream()
              .write(
                  "POST /quick HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na"
                      .getBytes(US_ASCII));
        }
        String responses = "";
        while (responses.split("HTTP/1.1 ", -1).length < 3) {
          int next = honest.getInputStream().read();
          assertThat(next).as(responses).isNotNegative();
          responses += (char) next;
        }
        responses += new String(honest.getInputStream().readNBytes(3), US_ASCII);
        assertThat(responses).startsWith("HTTP/1.1 200").endsWith("HTTP/1.1 200");
      }
    } finally {
      for (Socket client : clients) {
        client.close();
      }
    }
  }

  private static Socket post(GatewayFixture gatewayFixture) throws IOException {
    Socket client = gatewayFixture.connect();
    client
        .getOutputStream()
        .write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n".getBytes(US_ASCII));
    return client;
  }

  private static boolean isAnswered(Socket client) {
    try {
      return client.getInputStream().available() > 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Even if the client disconnects before the decision is known. */
  @ParameterizedTest
  @EnumSource(
      value = HttpVersion.class,
      names = {"HTTP_1_1", "HTTP_2"})
  void disconnectDuringStoreCallReleasesReservation(HttpVersion version) {
    AtomicInteger arrived = new AtomicInteger();
    try (FaultyProxy proxy = new FaultyProxy(SharedRedis.empty().port());
        Store store = Store.open(proxy.url() + "?timeout=20s&connect_timeout=20s");
        GatewayFixture gatewayFixture =
            new GatewayFixture.Builder(SLOWLY)
                .server(
                    "http",
                    request -> {
                      arrived.incrementAndGet();
                      request.response().end();
                    })
                .store(store)
                .build()) {
      Await.holds(
          "the store decides",
          () -> {
            var first =
                gatewayFixture
                    .client(version)
                    .request(HttpMethod.GET, "/")
                    .compose(HttpClientRequest::send);
            return GatewayFixture.await(first).getHeader("RateLimit") != null;
          });
      int forwarded = arrived.get();
      proxy.toClient(FaultyProxy.Fault.late(Duration.ofSeconds(2)));
      Await.holds("one was decided that had gone", () -> goesAndIsDecided(gatewayFixture, version));
      proxy.heal();
      held(gatewayFixture, version);
      assertThat(arrived).as("an aborted request is not forwarded").hasValue(forwarded);
    }
  }

  /** Whether it was delayed; a client that disconnects too early is not. */
  private static boolean goesAndIsDecided(GatewayFixture gatewayFixture, HttpVersion version)
      throws Exception {
    HttpClientRequest gone =
        GatewayFixture.await(gatewayFixture.client(version).request(HttpMethod.GET, "/gone"));
    gone.exceptionHandler(known -> {});
    CompletableFuture<Void> sent = new CompletableFuture<>();
    gone.end()
        .onSuccess(written -> gatewayFixture.vertx.setTimer(300, later -> sent.complete(null)));
    sent.join();
    gone.reset();
    for (int i = 0; i < 100 && gatewayFixture.delayed() == 0; i++) {
      Thread.sleep(50);
    }
    return gatewayFixture.delayed() > 0;
  }

  /** A delayed request; it is refused until a reservation is free. */
  private static HttpClientRequest held(GatewayFixture gatewayFixture, HttpVersion version) {
    long before = gatewayFixture.delayed();
    HttpClientRequest[] held = new HttpClientRequest[1];
    Await.holds(
        "there is a place again",
        () -> {
          HttpClientRequest request =
              GatewayFixture.await(gatewayFixture.client(version).request(HttpMethod.GET, "/held"));
          request.exceptionHandler(known -> {});
          request.end();
          Await.holds(
              "it was decided",
              () -> request.response().isComplete() || gatewayFixture.delayed() > before);
          held[0] = request;
          return gatewayFixture.delayed() > before;
        });
    return held[0];
  }
}
