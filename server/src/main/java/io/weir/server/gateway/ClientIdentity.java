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
record ClientIdentity(@Nullable Address address, @Nullable HttpConnection connection) {
  /** The client of a request. */
  static ClientIdentity of(InboundRequest inboundRequest) {
    Address address = inboundRequest.client();
    boolean isProxy =
        inboundRequest.isFromProxy() && Objects.equals(address, inboundRequest.peer());
    boolean isShared =
        inboundRequest.request().version() == HttpVersion.HTTP_2 && !inboundRequest.isFromProxy();
    return new ClientIdentity(
        address == null || isProxy ? null : address.network(),
        isShared ? inboundRequest.request().connection() : null);
  }

  /** Whether both count as the same client. */
  boolean isSameClient(ClientIdentity other) {
    return (address != null && Objects.equals(address, other.address))
        || (connection != null && Objects.equals(connection, other.connection));
  }
}
