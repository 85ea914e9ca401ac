package io.weir.server.gateway.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.TimeSource;
import io.weir.rig.Await;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Servers with several or changing addresses. */
class UpstreamAddressesTest extends ScriptedUpstream {
  private static InetAddress[] all(String... addresses) throws UnknownHostException {
    InetAddress[] all = new InetAddress[addresses.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = InetAddress.getByName(addresses[i]);
    }
    return all;
  }

  private HostResolver name(HostResolver.Lookup lookup, Duration fresh) {
    return new HostResolver(
        vertx, "shop.example", Duration.ofSeconds(30), lookup, TimeSource.system(), fresh);
  }

  /** Two of them try the address that refuses connections before either fails. */
  @Test
  void retriesOtherAddressIfOneRefusesConnections() throws Exception {
    HostResolver hostResolver = name(host -> all("127.0.0.1", "127.0.0.2"), Duration.ofHours(1));
    http1Pool = pool(hostResolver, Duration.ofSeconds(60));
    List<CompletableFuture<String>> result = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      result.add(new CompletableFuture<>());
    }
    context.runOnContext(now -> result.forEach(each -> http1Pool.take(true, new Connecting(each))));
    for (CompletableFuture<String> each : result) {
      assertThat(each.get(30, TimeUnit.SECONDS)).isEqualTo("connected");
    }
  }

  @Test
  void triesAtMostThreeAddresses() throws Exception {
    HostResolver hostResolver =
        name(
            host -> all("127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6"),
            Duration.ofHours(1));
    http1Pool = pool(hostResolver, Duration.ofSeconds(60));
    CompletableFuture<String> result = new CompletableFuture<>();
    AtomicInteger attempts = new AtomicInteger();
    Connecting patient =
        new Connecting(result) {
          @Override
          public boolean isWaiting() {
            return attempts.incrementAndGet() > 0;
          }
        };
    context.runOnContext(now -> http1Pool.take(true, patient));
    assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("not connected");
    assertThat(attempts).hasValue(3);
  }

  @Test
  void triesNoFurtherAddressAfterCancellation() throws Exception {
    HostResolver hostResolver = name(host -> all("127.0.0.1", "127.0.0.2"), Duration.ofHours(1));
    http1Pool = pool(hostResolver, Duration.ofSeconds(60));
    CompletableFuture<String> result = new CompletableFuture<>();
    AtomicInteger attempts = new AtomicInteger();
    Connecting gone =
        new Connecting(result) {
          @Override
          public boolean isWaiting() {
            return attempts.incrementAndGet() == 1;
          }
        };
    context.runOnContext(now -> http1Pool.take(true, gone));
    assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo("not connected");
    assertThat(attempts).hasValue(2);
    assertThat(connections).hasValue(0);
  }

  /** It is in use all the time and never expires. */
  @Test
  void doesNotReuseConnectionToAnOldAddress() throws Exception {
    AtomicReference<String> where = new AtomicReference<>("127.0.0.1");
    http1Pool = pool(name(host -> all(where.get()), Duration.ofMillis(10)), Duration.ofSeconds(60));
    assertThat(exchange("GET")).isEqualTo("200 ok|");
    where.set("127.0.0.2"); // refuses connections
    Await.holds("it is noticed", () -> exchange("GET").equals("not connected"));
    Await.holds("it is closed", () -> closed.get() == 1);
    assertThat(connections).hasValue(1);
  }

  /** Reports whether there is a connection. */
  private static class Connecting extends ResultCallback {
    private final CompletableFuture<String> result;

    Connecting(CompletableFuture<String> result) {
      super(result);
      this.result = result;
    }

    @Override
    public void connected(Http1Connection http1Connection, boolean isFirst) {
      result.complete("connected");
    }
  }
}
