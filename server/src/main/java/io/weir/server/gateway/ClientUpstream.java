package io.weir.server.gateway;

import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.util.Set;

/** Asked by the client of Vert.x. */
final class ClientUpstream extends Upstream {
  private final HttpClient client;
  private final Set<HttpConnection> fresh;

  /**
   * Nothing is asked yet.
   *
   * @param fresh connections that nobody has used so far
   */
  ClientUpstream(Origin origin, HttpClient client, Set<HttpConnection> fresh, int most) {
    super(origin, most);
    this.client = client;
    this.fresh = fresh;
  }

  @Override
  void take(HttpMethod method, String target, Taker taker) {
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
    return !fresh.isEmpty() && fresh.remove(request.connection());
  }
}
