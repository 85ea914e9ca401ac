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
    http1Pool = wires(hostResolver, Duration.ofSeconds(60));
    List<CompletableFuture<String>> told = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      told.add(new CompletableFuture<>());
    }
    context.runOnContext(now -> told.forEach(each -> http1Pool.take(true, new Connecting(each))));
    for (CompletableFuture<String> each : told) {
      assertThat(each.get(30, TimeUnit.SECONDS)).isEqualTo("connected");
    }
  }

  @Test
  void triesAtMostThreeAddresses() throws Exception {
    HostResolver hostResolver =
        name(
            host -> all("127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6"),
            Duration.ofHours(1));
    http1Pool = wires(hostResolver, Duration.ofSeconds(60));
    CompletableFuture<String> told = new CompletableFuture<>();
    AtomicInteger asked = new AtomicInteger();
    Connecting patient =
        new Connecting(told) {
          @Override
          public boolean isWaiting() {
            return asked.incrementAndGet() > 0;
          }
        };
    context.runOnContext(now -> http1Pool.take(true, patient));
    assertThat(told.get(30, TimeUnit.SECONDS)).isEqualTo("not connected");
    assertThat(asked).hasValue(3);
  }

  @Test
  void triesNoFurtherAddressAfterCancellation() throws Exception {
    HostResolver hostResolver = name(host -> all("127.0.0.1", "127.0.0.2"), Duration.ofHours(1));
    http1Pool = wires(hostResolver, Duration.ofSeconds(60));
    CompletableFuture<String> told = new CompletableFuture<>();
    AtomicInteger asked = new AtomicInteger();
    Connecting gone =
        new Connecting(told) {
          @Override
          public boolean isWaiting() {
            return asked.incrementAndGet() == 1;
          }
        };
    context.runOnContext(now -> http1Pool.take(true, gone));
    assertThat(told.get(30, TimeUnit.SECONDS)).isEqualTo("not connected");
    assertThat(asked).hasValue(2);
    assertThat(connections).hasValue(0);
  }

  /** It is in use all the time and never expires. */
  @Test
  void doesNotReuseConnectionToAnOldAddress() throws Exception {
    AtomicReference<String> where = new AtomicReference<>("127.0.0.1");
    http1Pool =
        wires(name(host -> all(where.get()), Duration.ofMillis(10)), Duration.ofSeconds(60));
    assertThat(ask("GET")).isEqualTo("200 ok|");
    where.set("127.0.0.2"); // refuses connections
    Await.holds("it is noticed", () -> ask("GET").equals("not connected"));
    Await.holds("it is closed", () -> closed.get() == 1);
    assertThat(connections).hasValue(1);
  }

  /** Reports whether there is a connection. */
  private static class Connecting extends Taking {
    private final CompletableFuture<String> told;

    Connecting(CompletableFuture<String> told) {
      super(told);
      this.told = told;
    }

    @Override
    public void connected(Http1Connection http1Connection, boolean isFirst) {
      told.complete("connected");
    }
  }
}
