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
 * What one event loop has for itself: connections, and whose turn it is. Nothing here is ever
 * touched by another thread.
 */
final class Worker {
  private final Pulse pulse;
  private final Upstream[][] groups;
  private final Upstream[][] upgrading;
  private final int[] turns;

  /**
   * Nothing is connected yet.
   *
   * @param loops how many event loops share what the settings allow
   * @param lookup how servers are found that are known by names
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
      // Not all loops begin with the same server.
      turns[group.number()] = Math.floorMod(System.identityHashCode(this), servers);
    }
  }

  Pulse pulse() {
    return pulse;
  }

  /**
   * The server whose turn it is: one that does well and has room, else any that has room.
   *
   * @param client the one that it would be asked for
   * @param tried those that are not to be asked again, by their places; null: none
   * @return its place, and it must be asked; −1 if there is none
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
   * Ends an exchange that makes little use of its connection to a server of the group. A client
   * that has its share everywhere can only take the place of its own.
   *
   * @return whether there was one
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
