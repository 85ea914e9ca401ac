package io.weir.rules.http;

import io.weir.rules.match.Address;
import io.weir.rules.match.Network;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds the client address behind trusted proxies. Immutable.
 *
 * <p>Each proxy appends the address that it was called from to {@code X-Forwarded-For}. So the list
 * is read from its end, by as many steps as there are trusted proxies:
 *
 * <pre>
 *   6.6.6.6, 203.0.113.7, 10.0.0.2      from 10.0.0.1, where 10.0.0.0/8 is trusted
 *   forged   the client   a proxy       the caller
 * </pre>
 *
 * An unreadable entry ends the walk: the last readable address is the client's.
 */
public final class TrustedProxies {
  /** Trusts only the local machine. */
  public static final TrustedProxies LOOPBACK =
      new TrustedProxies(List.of(Network.parse("127.0.0.0/8"), Network.parse("::1")));

  /**
   * Replaces an address that cannot be read, such as that of a socket without one. All such callers
   * count as one, because a missing address must not mean no limit.
   */
  public static final String UNKNOWN = "0.0.0.0";

  private final List<Network> trusted;

  /** Trusts only these networks. */
  public TrustedProxies(List<Network> trusted) {
    this.trusted = List.copyOf(trusted);
  }

  /** Trusts additional networks. */
  public TrustedProxies and(List<Network> others) {
    List<Network> all = new ArrayList<>(trusted);
    all.addAll(others);
    return new TrustedProxies(all);
  }

  /** Whether {@code address} is a trusted proxy. */
  public boolean trusts(@Nullable Address address) {
    for (int i = 0; address != null && i < trusted.size(); i++) {
      if (trusted.get(i).contains(address)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the peer of a connection is a trusted proxy. */
  public boolean trustsPeer(@Nullable SocketAddress peer) {
    return peer instanceof InetSocketAddress inet
        && inet.getAddress() != null
        && trusts(Address.parse(inet.getAddress().getHostAddress()));
  }

  /**
   * The client's address.
   *
   * @param peer the peer of the connection
   * @param forwardedFor all lines of {@code X-Forwarded-For}, in their order
   */
  public Address client(Address peer, List<String> forwardedFor) {
    Address client = peer;
    for (int line = forwardedFor.size() - 1; line >= 0; line--) {
      String list = forwardedFor.get(line);
      int end = list.length();
      while (end >= 0) {
        if (!trusts(client)) {
          return client;
        }
        int comma = list.lastIndexOf(',', end - 1);
        Address before = Address.parse(list.substring(comma + 1, end).strip());
        if (before == null) {
          return client;
        }
        client = before;
        end = comma;
      }
    }
    return client;
  }
}
