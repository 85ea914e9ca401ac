package io.weir.server.gateway;

import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import java.util.Set;

/** Asked by the client of Vert.x. */
final class ClientUpstream extends Upstream {
  private final HttpClient client;
  private final Set<HttpConnection> fresh;
  private final int connections;

  /**
   * Nothing is asked yet.
   *
   * @param fresh connections that nobody has used so far
   * @param connections how many there may be
   * @param most how many requests there may be at once, unless it shows that no two of them can
   *     share a connection
   */
  ClientUpstream(
      Origin origin, HttpClient client, Set<HttpConnection> fresh, int connections, int most) {
    super(origin, most);
    this.connections = connections;
    this.client = client;
    this.fresh = fresh;
  }

  @Override
  void take(HttpMethod method, String target, boolean isNew, Taker taker) {
    client
        .request(
            new RequestOptions()
                .setMethod(method)
                .setHost(origin().host())
                .setPort(origin().port())
                .setSsl(origin().scheme() == Origin.Scheme.HTTPS)
                .setURI(target))
        .onComplete(
            request -> taker.connected(new ClientLeg(request), isFirst(request)),
            taker::notConnected);
  }

  private boolean isFirst(HttpClientRequest request) {
    boolean isFirst = !fresh.isEmpty() && fresh.remove(request.connection());
    if (isFirst) { // now it is known which version the server chose
      limit(request.version() == HttpVersion.HTTP_2 ? Clients.STREAMS : connections);
    }
    return isFirst;
  }
}
