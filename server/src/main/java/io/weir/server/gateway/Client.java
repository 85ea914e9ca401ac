package io.weir.server.gateway;

import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpVersion;
import io.weir.rules.match.Address;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The client by which connections to servers are counted.
 *
 * @param address the address, for IPv6 its 64-bit network; null if there is none, or if it is that
 *     of a trusted proxy, which forwards for many clients
 * @param connection the HTTP/2 connection; null for HTTP/1, which has one request at a time, and
 *     for trusted proxies
 */
record Client(@Nullable Address address, @Nullable HttpConnection connection) {
  /** The client of a request. */
  static Client of(Inbound inbound) {
    Address address = inbound.client();
    boolean isProxy = inbound.isFromProxy() && Objects.equals(address, inbound.peer());
    boolean isShared = inbound.request().version() == HttpVersion.HTTP_2 && !inbound.isFromProxy();
    return new Client(
        address == null || isProxy ? null : address.network(),
        isShared ? inbound.request().connection() : null);
  }

  /** Whether both count as the same client. */
  boolean isOneWith(Client other) {
    return (address != null && Objects.equals(address, other.address))
        || (connection != null && Objects.equals(connection, other.connection));
  }
}
