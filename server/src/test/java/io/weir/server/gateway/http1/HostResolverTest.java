package io.weir.server.gateway.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelException;
import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.weir.TimeSource;
import io.weir.rig.Await;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Resolution of a server's host name. */
class HostResolverTest {
  private final Vertx vertx = Vertx.vertx();
  private final ContextInternal loop = (ContextInternal) vertx.getOrCreateContext();
  private final AtomicInteger lookups = new AtomicInteger();
  private volatile String[] addresses = {};

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private InetAddress[] lookUp(String host) throws UnknownHostException {
    lookups.incrementAndGet();
    if (addresses.length == 0) {
      throw new UnknownHostException(host);
    }
    InetAddress[] all = new InetAddress[addresses.length];
    for (int i = 0; i < all.length; i++) {
      all[i] = InetAddress.getByName(addresses[i]);
    }
    return all;
  }

  private HostResolver name(String host, Duration fresh) {
    return new HostResolver(
        vertx, host, Duration.ofSeconds(30), this::lookUp, TimeSource.system(), fresh);
  }

  private String find(HostResolver hostResolver) throws Exception {
    CompletableFuture<String> found = new CompletableFuture<>();
    loop.runOnContext(
        now ->
            hostResolver.find(
                loop,
                new HostResolver.ResolveCallback() {
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
  void doesNotLookUpAddress() throws Exception {
    assertThat(find(name("10.1.2.3", Duration.ZERO))).isEqualTo("10.1.2.3");
    assertThat(find(name("::1", Duration.ZERO))).isEqualTo("0:0:0:0:0:0:0:1");
    assertThat(lookups).hasValue(0);
  }

  @Test
  void usesAddressesOfOneIpVersionInTurn() throws Exception {
    addresses = new String[] {"10.0.0.1", "::1", "10.0.0.2"};
    HostResolver hostResolver = name("shop.example", Duration.ofHours(1));
    String first = find(hostResolver);
    String second = find(hostResolver);
    assertThat(first).isNotEqualTo(second);
    assertThat(find(hostResolver)).isEqualTo(first);
    assertThat(find(hostResolver)).isEqualTo(second);
    assertThat(lookups).hasValue(1);
  }

  @Test
  void followsChangeAndKeepsLastAddressesIfLookupFails() throws Exception {
    HostResolver hostResolver = name("shop.example", Duration.ZERO);
    assertThat(find(hostResolver)).contains("UnknownHostException");
    addresses = new String[] {"10.0.0.1"};
    assertThat(find(hostResolver)).isEqualTo("10.0.0.1");
    addresses = new String[0];
    int before = lookups.get();
    Await.holds(
        "the lookups fail",
        () -> find(hostResolver).equals("10.0.0.1") && lookups.get() > before + 2);
    assertThat(find(hostResolver)).isEqualTo("10.0.0.1");
    addresses = new String[] {"10.0.0.9"};
    Await.holds("the change is noticed", () -> find(hostResolver).equals("10.0.0.9"));
  }

  @Test
  void doesNotReturnTriedAddress() throws Exception {
    addresses = new String[] {"10.0.0.1", "10.0.0.2", "::1"};
    HostResolver hostResolver = name("shop.example", Duration.ofHours(1));
    find(hostResolver);
    InetAddress one = InetAddress.getByName("10.0.0.1");
    InetAddress two = InetAddress.getByName("10.0.0.2");
    InetAddress other = InetAddress.getByName("::1");
    assertThat(hostResolver.other(List.of(one))).isEqualTo(two);
    hostResolver.leaveOut(one);
    hostResolver.leaveOut(one);
    assertThat(hostResolver.other(List.of(one)))
        .as("another caller has excluded it")
        .isEqualTo(two);
    hostResolver.leaveOut(two);
    assertThat(find(hostResolver)).as("better than none").isEqualTo("10.0.0.2");
    assertThat(hostResolver.other(List.of(two))).as("of another kind").isEqualTo(other);
    assertThat(hostResolver.other(List.of(two, other))).isNull();
    assertThat(hostResolver.isAt(one)).as("though it is left out").isTrue();
    assertThat(hostResolver.isAt(InetAddress.getByName("10.0.0.3"))).isFalse();
  }

  /** Exceptions of Netty's transports, and those that this machine may have caused. */
  static Stream<Arguments> causes() {
    IOException bound = new SocketException("Cannot assign requested address");
    bound.initCause(new BindException("Cannot assign requested address"));
    return Stream.of(
        Arguments.of(new ConnectException("Connection refused"), true),
        Arguments.of(new ConnectTimeoutException("connection timed out"), true),
        Arguments.of(new NoRouteToHostException("No route to host"), true),
        Arguments.of(new SocketException("Network is unreachable"), true),
        Arguments.of(bound, false),
        Arguments.of(new BindException("Address already in use"), false),
        Arguments.of(new ChannelException("Too many open files"), false),
        Arguments.of(new SSLException("who is this?"), false));
  }

  @ParameterizedTest
  @MethodSource("causes")
  void triesOtherAddressOnlyIfItMayHelp(Throwable cause, boolean isTried) {
    assertThat(AddressAttempts.isOfAddress(cause)).isEqualTo(isTried);
  }
}
