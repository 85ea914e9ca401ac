package io.weir.server.http;

import io.netty.channel.Channel;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.rules.http.TrustedProxies;
import io.weir.rules.match.Address;
import io.weir.server.connection.MemoryBudget;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Bodies of one port that are not complete: of HTTP requests and of gRPC calls.
 *
 * <p>All of them share one memory budget. One client address (IPv6: a /64) may use a share of it,
 * and may leave a limited number unfinished. Each further one ends the oldest of that address. A
 * body that is complete within a tenth of a second is not counted, but its bytes are.
 *
 * <p>Thread-safe: bytes and numbers are counted over all event loops. The oldest body is one of the
 * same event loop.
 */
public final class UnfinishedBodies {
  /** The longest body: one address may always have as many bytes. */
  private static final long MIN_SHARE_BYTES = 1024 * 1024;

  private static final AttributeKey<MemoryBudget> BUDGET =
      AttributeKey.valueOf(UnfinishedBodies.class, "budget");

  private final MemoryBudget all;
  private final @Nullable TrustedProxies exempt; // null: every peer is exempt
  private volatile int maxPerAddress;
  private volatile int percent;
  private final ConcurrentHashMap<Address, Share> shares = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<Address, Integer> counts = new ConcurrentHashMap<>();

  /** Of one event loop, in the order in which they were counted. */
  private final ThreadLocal<Map<Address, Set<UnfinishedBody>>> counted =
      ThreadLocal.withInitial(HashMap::new);

  /**
   * The part of the budget that one address may use.
   *
   * @param connections the open connections of the address that have used it
   */
  private record Share(MemoryBudget budget, int connections) {}

  /** Bodies without limits per address. */
  public UnfinishedBodies(MemoryBudget all) {
    this(all, null, 0, 100);
  }

  /**
   * None so far.
   *
   * @param all the memory budget of the port
   * @param exempt peers without limits, because they forward for many clients
   * @param maxPerAddress how many bodies one address may leave unfinished
   * @param percent how much of the budget one address may use; always 1 MiB
   */
  public UnfinishedBodies(
      MemoryBudget all, @Nullable TrustedProxies exempt, int maxPerAddress, int percent) {
    this.all = all;
    this.exempt = exempt;
    this.maxPerAddress = maxPerAddress;
    this.percent = percent;
  }

  /** Changes the limits; the budget of an address changes when all its connections are closed. */
  public void resize(int number, int share) {
    maxPerAddress = number;
    percent = share;
  }

  /** How many bodies are counted, over all addresses. */
  public int number() {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** The memory budget of all bodies. */
  MemoryBudget all() {
    return all;
  }

  /** The memory budget for bodies of a request's connection; looked up once for each connection. */
  MemoryBudget budget(HttpServerRequest request) {
    if (exempt == null || !(request.connection() instanceof ConnectionBase base)) {
      return all;
    }
    Attribute<MemoryBudget> known = base.channel().attr(BUDGET);
    MemoryBudget budget = known.get();
    if (budget == null) {
      Address address = countedBy(request);
      budget = address == null ? all : share(address, base.channel());
      known.set(budget);
    }
    return budget;
  }

  @SuppressWarnings("FutureReturnValueIgnored") // nothing follows
  private MemoryBudget share(Address address, Channel connection) {
    Share joined =
        shares.compute(
            address,
            (key, before) ->
                before == null
                    ? new Share(all.share(percent, MIN_SHARE_BYTES), 1)
                    : new Share(before.budget, before.connections + 1));
    connection
        .closeFuture()
        .addListener(
            closed ->
                shares.computeIfPresent(
                    address,
                    (key, before) ->
                        before.connections == 1
                            ? null
                            : new Share(before.budget, before.connections - 1)));
    return joined.budget;
  }

  /** The address by which bodies of a request are counted; null if they are not. */
  @Nullable Address countedBy(HttpServerRequest request) {
    Address peer = exempt == null ? null : PeerAddress.of(request);
    return peer == null || exempt == null || exempt.trusts(peer) ? null : peer.network();
  }

  /** Counts one more; returns the oldest of the address if that is too many. */
  @Nullable UnfinishedBody add(Address address, UnfinishedBody body) {
    Set<UnfinishedBody> here =
        counted.get().computeIfAbsent(address, first -> new LinkedHashSet<>());
    here.add(body);
    return counts.merge(address, 1, Integer::sum) > maxPerAddress ? here.iterator().next() : null;
  }

  /** One less. */
  void remove(Address address, UnfinishedBody body) {
    counted
        .get()
        .computeIfPresent(
            address, (key, here) -> here.remove(body) && here.isEmpty() ? null : here);
    counts.merge(address, -1, (before, less) -> before + less == 0 ? null : before + less);
  }
}
