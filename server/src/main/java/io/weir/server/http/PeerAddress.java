package io.weir.server.http;

import io.netty.channel.Channel;
import io.netty.util.Attribute;
import io.netty.util.AttributeKey;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import io.weir.rules.match.Address;
import org.jspecify.annotations.Nullable;

/** The peer address of a connection, parsed once for all its requests. */
public final class PeerAddress {
  private static final AttributeKey<Address> PEER = AttributeKey.valueOf(PeerAddress.class, "peer");

  private PeerAddress() {}

  /** The peer address of the request's connection; null if it has none. */
  public static @Nullable Address of(HttpServerRequest request) {
    if (!(request.connection() instanceof ConnectionBase base)) {
      return read(request);
    }
    Attribute<Address> known = base.channel().attr(PEER);
    Address peer = known.get();
    if (peer == null) {
      peer = read(request);
      known.set(peer);
    }
    return peer;
  }

  /** The peer address, if an earlier request of the connection has read it; else null. */
  public static @Nullable Address known(Channel connection) {
    return connection.attr(PEER).get();
  }

  private static @Nullable Address read(HttpServerRequest request) {
    String host = request.remoteAddress() == null ? null : request.remoteAddress().hostAddress();
    return host == null ? null : Address.parse(host);
  }
}
