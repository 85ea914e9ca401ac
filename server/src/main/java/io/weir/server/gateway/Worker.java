package io.weir.server.gateway;

import io.netty.channel.EventLoop;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.TrustOptions;
import io.weir.server.Forwarding;
import io.weir.server.Forwarding.ClientBounds;
import io.weir.server.wire.Name;
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
final class Worker {
  private final Pulse pulse;
  private final Upstream[][] groups;
  private final Upstream[][] upgrading;
  private final int[] turns;

  /**
   * Without connections.
   *
   * @param loops the number of event loops that share the connections of the settings
   * @param lookup resolves host names
   */
  Worker(
      Vertx vertx,
      Routes routes,
      Forwarding settings,
      Optional<TrustOptions> ca,
      int loops,
      Name.Lookup lookup) {
    int connections = (settings.connections() + loops - 1) / loops;
    ClientBounds bounds = settings.clients();
    Clients clients = new Clients(vertx, settings, ca, lookup, connections);
    Map<Origin, Name> names = new IdentityHashMap<>();
    Map<Origin, Upstream> plain = new IdentityHashMap<>();
    Map<Origin, Upstream> upgraded = new IdentityHashMap<>();
    EventLoop loop = ((ContextInternal) vertx.getOrCreateContext()).nettyEventLoop();
    this.pulse = new Pulse(vertx);
    this.groups = new Upstream[routes.groups().size()][];
    this.upgrading = new Upstream[groups.length][];
    this.turns = new int[groups.length];
    for (Routes.Group group : routes.groups()) {
      int servers = group.origins().size();
      groups[group.number()] = new Upstream[servers];
      upgrading[group.number()] = new Upstream[servers];
      for (int i = 0; i < servers; i++) {
        Origin origin = group.origins().get(i);
        Name name = names.computeIfAbsent(origin, clients::name);
        int most = origin.scheme() == Origin.Scheme.HTTP ? connections : Clients.STREAMS;
        groups[group.number()][i] =
            plain.computeIfAbsent(
                origin,
                any ->
                    origin.scheme() == Origin.Scheme.HTTP
                        ? new WireUpstream(origin, clients.wires(loop, origin, name), bounds, most)
                        : new ClientUpstream(
                            vertx,
                            origin,
                            name,
                            clients.of(origin.scheme()),
                            clients.fresh(),
                            bounds,
                            connections,
                            most));
        upgrading[group.number()][i] =
            upgraded.computeIfAbsent(
                origin,
                any ->
                    new ClientUpstream(
                        vertx,
                        origin,
                        name,
                        clients.upgrading(origin.scheme()),
                        clients.fresh(),
                        bounds,
                        connections,
                        connections));
      }
      // Event loops start with different servers.
      turns[group.number()] = Math.floorMod(System.identityHashCode(this), servers);
    }
  }

  Pulse pulse() {
    return pulse;
  }

  /**
   * Selects the next server: one that is healthy and has room, else any that has room.
   *
   * @param client the client of the request
   * @param tried servers that must not be selected, by index; null for none
   * @return its index, and the caller must use it; −1 if there is none
   */
  int next(Routes.Group group, boolean isUpgrade, Client client, @Nullable BitSet tried) {
    Upstream[] all = of(group, isUpgrade);
    int start = turns[group.number()];
    int found = -1;
    for (int i = 0; i < all.length; i++) {
      int place = start + i < all.length ? start + i : start + i - all.length;
      if ((tried == null || !tried.get(place))
          && !all[place].isFull()
          && !all[place].isClosedTo(client)) {
        if (all[place].origin().isTurn()) {
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

  Upstream at(Routes.Group group, boolean isUpgrade, int place) {
    return of(group, isUpgrade)[place];
  }

  private Upstream[] of(Routes.Group group, boolean isUpgrade) {
    return isUpgrade ? upgrading[group.number()] : groups[group.number()];
  }

  /**
   * Aborts a slow exchange to free its connection to a server of the group. If the client has used
   * up its share at every server, only its own exchanges are considered.
   *
   * @return whether there was a slow exchange
   */
  boolean makeRoom(Routes.Group group, boolean isUpgrade, Client client) {
    boolean isAtItsShare =
        Arrays.stream(of(group, isUpgrade)).allMatch(server -> server.isClosedTo(client));
    Predicate<Exchange> among =
        exchange ->
            exchange.isAsking(group, isUpgrade)
                && (!isAtItsShare || exchange.client().isOneWith(client));
    Optional<Exchange> slowest = Slowest.of(among);
    slowest.ifPresent(Exchange::giveWay);
    return slowest.isPresent() || Tunnel.makeRoom(among);
  }
}
