package io.weir.server.gateway;

import io.vertx.core.http.HttpMethod;
import io.weir.server.Forwarding.ClientLimits;
import io.weir.server.gateway.http1.Http1Connection;
import io.weir.server.gateway.http1.Http1Pool;

/** A server to which {@link Http1Pool} connect. */
final class Http1Upstream extends Upstream {
  private final Http1Pool http1Pool;
  private final String host;

  /** Without connections. */
  Http1Upstream(
      UpstreamServer upstreamServer, Http1Pool http1Pool, ClientLimits bounds, int maxRequests) {
    super(upstreamServer, bounds, maxRequests);
    this.http1Pool = http1Pool;
    this.host = host(upstreamServer);
  }

  /** The value of the Host header. */
  private static String host(UpstreamServer upstreamServer) {
    String name =
        upstreamServer.host().indexOf(':') >= 0
            ? "[" + upstreamServer.host() + "]"
            : upstreamServer.host();
    return upstreamServer.port() == 80 ? name : name + ":" + upstreamServer.port();
  }

  @Override
  void take(
      ClientIdentity clientIdentity,
      HttpMethod method,
      String target,
      boolean isNew,
      ConnectCallback connectCallback) {
    http1Pool.take(
        isNew,
        new Http1Pool.ConnectCallback() {
          @Override
          public void connected(Http1Connection http1Connection, boolean isFirst) {
            connectCallback.connected(
                new Http1UpstreamRequest(http1Connection, method, target, host), isFirst);
          }

          @Override
          public void notConnected(Throwable cause) {
            connectCallback.notConnected(cause);
          }

          @Override
          public boolean isWaiting() {
            return connectCallback.isWaiting();
          }
        });
  }
}
