package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpVersion;
import io.weir.rig.Await;
import io.weir.server.gateway.http1.HostResolver;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Upstream servers with host names. */
@Tag("slow")
class UpstreamDnsTest {
  /** A server at this name that responds. */
  private static GatewayFixture.Builder builder(
      String scheme, String name, HostResolver.Lookup lookup) {
    GatewayFixture.Builder builder =
        new GatewayFixture.Builder(ProtocolCombinations.UNLIMITED).lookup(lookup);
    HttpServer server =
        GatewayFixture.listen(builder.vertx, request -> request.response().end("here"));
    return builder
        .upstream(URI.create(scheme + "://" + name + ":" + server.actualPort()))
        .settings(to -> to.forwarding().connectTimeout(GatewayFixture.SHORT));
  }

  private static InetAddress[] here(String... addresses) throws UnknownHostException {
    InetAddress[] all = new InetAddress[addresses.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = InetAddress.getByName(addresses[i]);
    }
    return all;
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "h2c"})
  void looksUpNameOnceAndNotOnTheEventLoop(String scheme) throws Exception {
    Set<String> threads = ConcurrentHashMap.newKeySet();
    AtomicInteger lookups = new AtomicInteger();
    HostResolver.Lookup lookup =
        host -> {
          threads.add(Thread.currentThread().getName());
          lookups.incrementAndGet();
          return here("127.0.0.1");
        };
    try (GatewayFixture gatewayFixture = builder(scheme, "shop.example", lookup).build()) {
      for (int i = 0; i < 5; i++) {
        assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 200 ").endsWith("here");
      }
      assertThat(lookups).hasValue(1);
      assertThat(threads).noneMatch(name -> name.contains("eventloop"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "h2c"})
  void unknownHostIs502AtOnce(String scheme) throws Exception {
    HostResolver.Lookup lookup =
        host -> {
          throw new UnknownHostException(host);
        };
    try (GatewayFixture gatewayFixture = builder(scheme, "shop.example", lookup).build()) {
      for (int i = 0; i < 20; i++) {
        assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 502 ").contains("bad_gateway");
      }
    }
  }

  /**
   * There is one event loop: if it waited for the lookup, no other request would get a response.
   */
  @ParameterizedTest
  @ValueSource(strings = {"http", "h2c"})
  void hangingLookupDoesNotDelayOthers(String scheme) throws Exception {
    CountDownLatch received = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    HostResolver.Lookup lookup =
        host -> {
          received.countDown();
          await(end);
          return here("127.0.0.1");
        };
    try (GatewayFixture gatewayFixture = builder(scheme, "shop.example", lookup).build()) {
      var hanging =
          gatewayFixture
              .client(HttpVersion.HTTP_1_1)
              .request(HttpMethod.GET, "/")
              .compose(HttpClientRequest::send);
      received.await();
      assertThat(gatewayFixture.send("OPTIONS *")).as("meanwhile").startsWith("HTTP/1.1 204 ");
      assertThat(GatewayFixture.await(hanging).statusCode()).isEqualTo(504);
      end.countDown();
      Await.holds("it is found after all", () -> gatewayFixture.get().startsWith("HTTP/1.1 200 "));
    } finally {
      end.countDown();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The first and third refuse connections and are excluded. */
  @ParameterizedTest
  @ValueSource(strings = {"http", "h2c"})
  void excludesAddressThatRefusesConnections(String scheme) throws Exception {
    HostResolver.Lookup lookup = host -> here("127.0.0.2", "127.0.0.1", "127.0.0.3", "::1");
    try (GatewayFixture gatewayFixture = builder(scheme, "shop.example", lookup).build()) {
      for (int i = 0; i < 6; i++) {
        assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 200 ");
      }
    }
  }

  /** A listener with a full backlog: packets sent to it are dropped. */
  private static final class Deaf implements AutoCloseable {
    private final ServerSocket socket;
    private final List<SocketChannel> waiting = new ArrayList<>();

    Deaf(String address, int port) throws IOException {
      socket = new ServerSocket(port, 1, InetAddress.getByName(address));
      for (int i = 0; i < 4; i++) {
        SocketChannel one = SocketChannel.open();
        one.configureBlocking(false);
        one.connect(socket.getLocalSocketAddress());
        waiting.add(one);
      }
    }

    @Override
    public void close() throws IOException {
      for (SocketChannel one : waiting) {
        one.close();
      }
      socket.close();
    }
  }

  /** Each address has its own timeout: together they take longer than one timeout. */
  @ParameterizedTest
  @ValueSource(strings = {"http", "h2c"})
  void excludesTwoUnresponsiveAddresses(String scheme) throws Exception {
    HostResolver.Lookup lookup = host -> here("127.0.0.1", "127.0.0.2", "127.0.0.3");
    GatewayFixture.Builder builder =
        new GatewayFixture.Builder(ProtocolCombinations.UNLIMITED).lookup(lookup);
    List<Deaf> deaf = new ArrayList<>();
    int port = portWithDeafAddresses(builder, deaf);
    builder
        .upstream(URI.create(scheme + "://shop.example:" + port))
        .settings(to -> to.forwarding().connectTimeout(Duration.ofMillis(3500)));
    try (Deaf one = deaf.get(0);
        Deaf two = deaf.get(1);
        GatewayFixture gatewayFixture = builder.build()) {
      assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 200 ").endsWith("here");
      assertThat(gatewayFixture.get()).startsWith("HTTP/1.1 200 ").endsWith("here");
    }
  }

  /** A port that is free on one address may be in use on another. */
  private static int portWithDeafAddresses(GatewayFixture.Builder builder, List<Deaf> deaf)
      throws IOException {
    for (int attempt = 1; ; attempt++) {
      int port =
          GatewayFixture.listen(builder.vertx, request -> request.response().end("here"))
              .actualPort();
      try {
        deaf.add(new Deaf("127.0.0.2", port));
        deaf.add(new Deaf("127.0.0.3", port));
        return port;
      } catch (BindException e) {
        for (Deaf each : deaf) {
          each.close();
        }
        deaf.clear();
        if (attempt == 10) {
          throw e;
        }
      }
    }
  }
}
