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
import io.weir.server.Forwarding.ClientLimits;
import io.weir.server.gateway.http1.AddressAttempts;
import io.weir.server.gateway.http1.HostResolver;
import java.net.InetAddress;
import java.util.Set;

/** A server to which Vert.x's client connects. */
final class VertxUpstream extends Upstream {
  private final VertxInternal vertx;
  private final HostResolver hostResolver;
  private final HttpClient client;
  private final Set<HttpConnection> fresh;
  private final int connections;

  /**
   * Does not connect yet.
   *
   * @param hostResolver resolves its host name
   * @param fresh connections that have not been used yet
   * @param bounds the shares of one client
   * @param connections the most connections
   * @param most the most requests at once, unless the server turns out to use HTTP/1.1, where two
   *     requests cannot share a connection
   */
  VertxUpstream(
      Vertx vertx,
      UpstreamServer upstreamServer,
      HostResolver hostResolver,
      HttpClient client,
      Set<HttpConnection> fresh,
      ClientLimits bounds,
      int connections,
      int most) {
    super(upstreamServer, bounds, most);
    this.vertx = (VertxInternal) vertx;
    this.hostResolver = hostResolver;
    this.connections = connections;
    this.client = client;
    this.fresh = fresh;
  }

  @Override
  void take(HttpMethod method, String target, boolean isNew, ConnectCallback connectCallback) {
    RequestOptions options =
        new RequestOptions()
            .setMethod(method)
            .setHost(upstreamServer().host())
            .setPort(upstreamServer().port())
            .setSsl(upstreamServer().scheme() == UpstreamServer.Scheme.HTTPS)
            .setURI(target);
    new ConnectAttempt(options, connectCallback).begin(vertx.getOrCreateContext());
  }

  /** One attempt to connect for a request. */
  private final class ConnectAttempt extends AddressAttempts {
    private final RequestOptions options;
    private final ConnectCallback connectCallback;

    ConnectAttempt(RequestOptions options, ConnectCallback connectCallback) {
      super(hostResolver);
      this.options = options;
      this.connectCallback = connectCallback;
    }

    @Override
    protected boolean isWaiting() {
      return connectCallback.isWaiting();
    }

    @Override
    protected void go(InetAddress address) {
      options.setServer(
          SocketAddress.inetSocketAddress(upstreamServer().port(), address.getHostAddress()));
      client
          .request(options)
          .onComplete(
              request ->
                  connectCallback.connected(new VertxUpstreamRequest(request), isFirst(request)),
              cause -> failed(address, cause));
    }

    @Override
    protected void end(Throwable cause) {
      connectCallback.notConnected(cause);
    }
  }

  private boolean isFirst(HttpClientRequest request) {
    boolean isFirst = !fresh.isEmpty() && fresh.remove(request.connection());
    if (isFirst) { // the server has chosen the HTTP version
      limit(request.version() == HttpVersion.HTTP_2 ? streams(request.connection()) : connections);
    }
    return isFirst;
  }

  /**
   * How many streams the server allows over all connections. More requests would wait for a stream,
   * and slow ones would not give way to them.
   */
  private int streams(HttpConnection connection) {
    long each = Math.max(1, connection.remoteSettings().getMaxConcurrentStreams());
    long all = each * UpstreamClients.http2Connections(connections);
    return (int) Math.min(UpstreamClients.STREAMS, all);
  }
}
