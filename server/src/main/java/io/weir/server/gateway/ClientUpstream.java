package io.weir.server.gateway;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.SocketAddress;
import io.weir.server.Forwarding.ClientBounds;
import io.weir.server.wire.Name;
import io.weir.server.wire.Round;
import java.net.InetAddress;
import java.util.Set;

/** A server to which Vert.x's client connects. */
final class ClientUpstream extends Upstream {
  private final VertxInternal vertx;
  private final Name name;
  private final HttpClient client;
  private final Set<HttpConnection> fresh;
  private final int connections;

  /**
   * Does not connect yet.
   *
   * @param name resolves its host name
   * @param fresh connections that have not been used yet
   * @param bounds the shares of one client
   * @param connections the most connections
   * @param most the most requests at once, unless the server turns out to use HTTP/1.1, where two
   *     requests cannot share a connection
   */
  ClientUpstream(
      Vertx vertx,
      Origin origin,
      Name name,
      HttpClient client,
      Set<HttpConnection> fresh,
      ClientBounds bounds,
      int connections,
      int most) {
    super(origin, bounds, most);
    this.vertx = (VertxInternal) vertx;
    this.name = name;
    this.connections = connections;
    this.client = client;
    this.fresh = fresh;
  }

  @Override
  void take(HttpMethod method, String target, boolean isNew, Taker taker) {
    RequestOptions options =
        new RequestOptions()
            .setMethod(method)
            .setHost(origin().host())
            .setPort(origin().port())
            .setSsl(origin().scheme() == Origin.Scheme.HTTPS)
            .setURI(target);
    new Requesting(options, taker).begin(vertx.getOrCreateContext());
  }

  /** One attempt to connect for a request. */
  private final class Requesting extends Round {
    private final RequestOptions options;
    private final Taker taker;

    Requesting(RequestOptions options, Taker taker) {
      super(name);
      this.options = options;
      this.taker = taker;
    }

    @Override
    protected boolean isWaiting() {
      return taker.isWaiting();
    }

    @Override
    protected void go(InetAddress address) {
      options.setServer(SocketAddress.inetSocketAddress(origin().port(), address.getHostAddress()));
      client
          .request(options)
          .onComplete(
              request -> taker.connected(new ClientLeg(request), isFirst(request)),
              cause -> failed(address, cause));
    }

    @Override
    protected void end(Throwable cause) {
      taker.notConnected(cause);
    }
  }

  private boolean isFirst(HttpClientRequest request) {
    boolean isFirst = !fresh.isEmpty() && fresh.remove(request.connection());
    if (isFirst) { // the server has chosen the HTTP version
      limit(request.version() == HttpVersion.HTTP_2 ? Clients.STREAMS : connections);
    }
    return isFirst;
  }
}
