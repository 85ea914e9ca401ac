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

/** Asked by the client of Vert.x. */
final class ClientUpstream extends Upstream {
  private final VertxInternal vertx;
  private final Name name;
  private final HttpClient client;
  private final Set<HttpConnection> fresh;
  private final int connections;

  /**
   * Nothing is asked yet.
   *
   * @param name where it is
   * @param fresh connections that nobody has used so far
   * @param bounds how many of them may be one client's
   * @param connections how many there may be
   * @param most how many requests there may be at once, unless it shows that no two of them can
   *     share a connection
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

  /** A new request for somebody. */
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
    if (isFirst) { // now it is known which version the server chose
      limit(request.version() == HttpVersion.HTTP_2 ? Clients.STREAMS : connections);
    }
    return isFirst;
  }
}
