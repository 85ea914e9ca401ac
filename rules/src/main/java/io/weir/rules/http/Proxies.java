package io.weir.rules.http;

import io.weir.rules.match.Address;
import io.weir.rules.match.Network;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The proxies whose word is taken for whom they speak.
 *
 * <p>Each proxy appends the address that it was called from to {@code X-Forwarded-For}. So the list
 * is read from its end, by as many steps as there are trusted proxies:
 *
 * <pre>
 *   6.6.6.6, 203.0.113.7, 10.0.0.2      from 10.0.0.1, where 10.0.0.0/8 is trusted
 *   forged   the client   a proxy       the caller
 * </pre>
 *
 * What cannot be read ends the walk: the last address that was read is the client's.
 */
public final class Proxies {
  /** Whoever is on the same machine. */
  public static final Proxies LOOPBACK =
      new Proxies(List.of(Network.parse("127.0.0.0/8"), Network.parse("::1")));

  /**
   * What stands for an address that cannot be read, such as that of a socket which has none: all
   * such callers are one, since nobody shall be without limits for having no address.
   */
  public static final String UNKNOWN = "0.0.0.0";

  private final List<Network> trusted;

  /** Trusts these and nobody else. */
  public Proxies(List<Network> trusted) {
    this.trusted = List.copyOf(trusted);
  }

  /** These and others. */
  public Proxies and(List<Network> others) {
    List<Network> all = new ArrayList<>(trusted);
    all.addAll(others);
    return new Proxies(all);
  }

  /** Whether {@code address} is one of them. */
  public boolean trusts(@Nullable Address address) {
    for (int i = 0; address != null && i < trusted.size(); i++) {
      if (trusted.get(i).contains(address)) {
        return true;
      }
    }
    return false;
  }

  /** Whether the other end of a connection is one of them. */
  public boolean trustsPeer(@Nullable SocketAddress peer) {
    return peer instanceof InetSocketAddress inet
        && inet.getAddress() != null
        && trusts(Address.parse(inet.getAddress().getHostAddress()));
  }

  /**
   * Who the client is.
   *
   * @param peer the other end of the connection
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
