package io.weir.server.gateway;

import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpVersion;
import io.weir.rules.match.Address;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What connections to servers are counted by.
 *
 * @param address of IPv6 a network of 64 bits; null if there is none, or if it is that of a trusted
 *     proxy, which speaks for many
 * @param connection of HTTP/2; null if it is a trusted proxy's, or can have one request at a time
 */
record Client(@Nullable Address address, @Nullable HttpConnection connection) {
  /** The client that a request is of. */
  static Client of(Inbound inbound) {
    Address address = inbound.client();
    boolean isProxy = inbound.isFromProxy() && Objects.equals(address, inbound.peer());
    boolean isShared = inbound.request().version() == HttpVersion.HTTP_2 && !inbound.isFromProxy();
    return new Client(
        address == null || isProxy ? null : address.network(),
        isShared ? inbound.request().connection() : null);
  }

  /** Whether both are counted as one. */
  boolean isOneWith(Client other) {
    return (address != null && Objects.equals(address, other.address))
        || (connection != null && Objects.equals(connection, other.connection));
  }
}
