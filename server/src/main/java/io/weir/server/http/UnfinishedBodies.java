package io.weir.server.http;

import io.weir.rules.http.TrustedProxies;
import io.weir.rules.match.Address;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Bodies of one port that have not come whole, by client address, of IPv6 by its first 64 bits.
 *
 * <p>One address may leave only so many unfinished: each one more ends the oldest of that address.
 * Bodies that come with their head, as most do, are never counted. Threadsafe: the addresses are
 * counted over all event loops, the oldest is one of the same event loop.
 */
public final class UnfinishedBodies {
  private final ConcurrentHashMap<Address, Integer> counts = new ConcurrentHashMap<>();
  private final TrustedProxies exempt;
  private final IntSupplier most;

  /**
   * None yet.
   *
   * @param exempt peers that speak for many
   * @param most of one address
   */
  public UnfinishedBodies(TrustedProxies exempt, IntSupplier most) {
    this.exempt = exempt;
    this.most = most;
  }

  /** What bodies of a peer are counted by; null if they are not. */
  @Nullable Address countedBy(@Nullable Address peer) {
    return peer == null || exempt.trusts(peer) ? null : peer.network();
  }

  /** One more; whether that is too many. */
  boolean add(Address address) {
    return counts.merge(address, 1, Integer::sum) > most.getAsInt();
  }

  /** One less. */
  void remove(Address address) {
    counts.merge(address, -1, (before, less) -> before + less == 0 ? null : before + less);
  }
}
