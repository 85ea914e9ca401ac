package io.weir.server.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.weir.rig.Until;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where a server is. */
class NameTest {
  private final Vertx vertx = Vertx.vertx();
  private final ContextInternal loop = (ContextInternal) vertx.getOrCreateContext();
  private final AtomicInteger lookups = new AtomicInteger();
  private volatile String[] told = {};

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private InetAddress[] lookUp(String host) throws UnknownHostException {
    lookups.incrementAndGet();
    if (told.length == 0) {
      throw new UnknownHostException(host);
    }
    InetAddress[] all = new InetAddress[told.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = InetAddress.getByName(told[i]);
    }
    return all;
  }

  private Name name(String host, Duration fresh) {
    return new Name(vertx, host, Duration.ofSeconds(30), this::lookUp, fresh);
  }

  private String find(Name name) throws Exception {
    CompletableFuture<String> found = new CompletableFuture<>();
    loop.runOnContext(
        now ->
            name.find(
                loop,
                new Name.Finder() {
                  @Override
                  public void found(InetAddress address) {
                    found.complete(address.getHostAddress());
                  }

                  @Override
                  public void notFound(Throwable cause) {
                    found.complete(cause.toString());
                  }
                }));
    return found.get(30, TimeUnit.SECONDS);
  }

  @Test
  void anAddressIsNotLookedUp() throws Exception {
    assertThat(find(name("10.1.2.3", Duration.ZERO))).isEqualTo("10.1.2.3");
    assertThat(find(name("::1", Duration.ZERO))).isEqualTo("0:0:0:0:0:0:0:1");
    assertThat(lookups).hasValue(0);
  }

  @Test
  void addressesTakeTurnsButOnlyThoseOfOneKind() throws Exception {
    told = new String[] {"10.0.0.1", "::1", "10.0.0.2"};
    Name name = name("shop.example", Duration.ofHours(1));
    String first = find(name);
    String second = find(name);
    assertThat(first).isNotEqualTo(second);
    assertThat(find(name)).isEqualTo(first);
    assertThat(find(name)).isEqualTo(second);
    assertThat(lookups).hasValue(1);
  }

  @Test
  void aChangeIsNoticedAndWhatWasKnownCountsWhileNobodyCanTell() throws Exception {
    Name name = name("shop.example", Duration.ZERO);
    assertThat(find(name)).contains("UnknownHostException");
    told = new String[] {"10.0.0.1"};
    assertThat(find(name)).isEqualTo("10.0.0.1");
    told = new String[0];
    int before = lookups.get();
    Until.holds(
        "it was asked for in vain",
        () -> find(name).equals("10.0.0.1") && lookups.get() > before + 2);
    assertThat(find(name)).isEqualTo("10.0.0.1");
    told = new String[] {"10.0.0.9"};
    Until.holds("the change is noticed", () -> find(name).equals("10.0.0.9"));
  }
}
