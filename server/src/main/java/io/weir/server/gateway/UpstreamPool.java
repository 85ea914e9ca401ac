package io.weir.server.gateway;

import io.netty.channel.EventLoop;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.TrustOptions;
import io.weir.TimeSource;
import io.weir.server.Forwarding;
import io.weir.server.Forwarding.ClientLimits;
import io.weir.server.connection.Http2PingProbe;
import io.weir.server.gateway.http1.HostResolver;
import java.util.Arrays;
import java.util.BitSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The upstream connections and the round-robin state of one event loop. Confined to that event
 * loop.
 */
final class UpstreamPool {
  private final Http2PingProbe http2PingProbe;
  private final TimeSource clock;
  private final Upstream[][] groups;
  private final Upstream[][] upgrading;
  private final int[] turns;

  /**
   * Without connections.
   *
   * @param loops the number of event loops that share the connections of the settings
   * @param lookup resolves host names
   * @param clock without steps
   */
  UpstreamPool(
      Vertx vertx,
      RouteTable routeTable,
      Forwarding settings,
      Optional<TrustOptions> ca,
      int loops,
      HostResolver.Lookup lookup,
      TimeSource clock) {
    this.clock = clock;
    int connections = (settings.connections() + loops - 1) / loops;
    ClientLimits bounds = settings.clients();
    UpstreamClients upstreamClients =
        new UpstreamClients(vertx, settings, ca, lookup, clock, connections);
    Map<UpstreamServer, HostResolver> hostResolvers = new IdentityHashMap<>();
    Map<UpstreamServer, Upstream> plain = new IdentityHashMap<>();
    Map<UpstreamServer, Upstream> upgraded = new IdentityHashMap<>();
    EventLoop loop = ((ContextInternal) vertx.getOrCreateContext()).nettyEventLoop();
    this.http2PingProbe = new Http2PingProbe(vertx);
    this.groups = new Upstream[routeTable.groups().size()][];
    this.upgrading = new Upstream[groups.length][];
    this.turns = new int[groups.length];
    for (RouteTable.Group group : routeTable.groups()) {
      int servers = group.upstreamServers().size();
      groups[group.number()] = new Upstream[servers];
      upgrading[group.number()] = new Upstream[servers];
      for (int i = 0; i < servers; i++) {
        UpstreamServer upstreamServer = group.upstreamServers().get(i);
        HostResolver hostResolver =
            hostResolvers.computeIfAbsent(upstreamServer, upstreamClients::name);
        groups[group.number()][i] =
            plain.computeIfAbsent(
                upstreamServer,
                any ->
                    upstreamServer.scheme() == UpstreamServer.Scheme.HTTP
                        ? new Http1Upstream(
                            upstreamServer,
                            upstreamClients.http1Pool(loop, upstreamServer, hostResolver),
                            bounds,
                            connections)
                        : VertxUpstream.forRequests(
                            vertx,
                            upstreamServer,
                            hostResolver,
                            upstreamClients,
                            bounds,
                            connections));
        upgrading[group.number()][i] =
            upgraded.computeIfAbsent(
                upstreamServer,
                any ->
                    VertxUpstream.forUpgrades(
                        vertx, upstreamServer, hostResolver, upstreamClients, bounds, connections));
      }
      // Event loops start with different servers.
      turns[group.number()] = Math.floorMod(System.identityHashCode(this), servers);
    }
  }

  /** The time of the gateway's clock, for elapsed times. */
  long nanos() {
    return clock.epochNanos();
  }

  Http2PingProbe http2PingProbe() {
    return http2PingProbe;
  }

  /**
   * Selects the next server: one that is healthy and has room, else any that has room.
   *
   * @param clientIdentity the client of the request
   * @param tried servers that must not be selected, by index; null for none
   * @return its index, and the caller must use it; −1 if there is none
   */
  int next(
      RouteTable.Group group,
      boolean isUpgrade,
      ClientIdentity clientIdentity,
      @Nullable BitSet tried) {
    Upstream[] all = of(group, isUpgrade);
    int start = turns[group.number()];
    int found = -1;
    for (int i = 0; i < all.length; i++) {
      int place = start + i < all.length ? start + i : start + i - all.length;
      if ((tried == null || !tried.get(place))
          && !all[place].isFull()
          && !all[place].isClosedTo(clientIdentity)) {
        if (all[place].upstreamServer().tryUse()) {
          found = place;
          break;
        }
        found = found < 0 ? place : found;
      }
    }
    if (found >= 0) {
      turns[group.number()] = found + 1 < all.length ? found + 1 : 0;
    }
    return found;
  }

  Upstream at(RouteTable.Group group, boolean isUpgrade, int place) {
    return of(group, isUpgrade)[place];
  }

  private Upstream[] of(RouteTable.Group group, boolean isUpgrade) {
    return isUpgrade ? upgrading[group.number()] : groups[group.number()];
  }

  /**
   * Aborts a slow exchange to free its connection to a server of the group. If the client has used
   * up its share at every server, only its own exchanges are considered.
   *
   * @return whether there was a slow exchange
   */
  boolean makeRoom(RouteTable.Group group, boolean isUpgrade, ClientIdentity clientIdentity) {
    boolean isAtItsShare =
        Arrays.stream(of(group, isUpgrade)).allMatch(server -> server.isClosedTo(clientIdentity));
    Predicate<ProxyExchange> among =
        proxyExchange ->
            proxyExchange.isAttempting(group, isUpgrade)
                && (!isAtItsShare || proxyExchange.clientIdentity().isSameClient(clientIdentity));
    long now = nanos();
    Optional<ProxyExchange> slowest = SlowestExchange.of(among, now);
    slowest.ifPresent(ProxyExchange::abortSlow);
    return slowest.isPresent() || Tunnel.makeRoom(among, now);
  }
}
