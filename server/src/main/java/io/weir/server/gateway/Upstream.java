package io.weir.server.gateway;

import io.vertx.core.Future;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import java.util.Set;

/** A server behind the gateway, as one event loop asks it. */
final class Upstream {
  private final Origin origin;
  private final HttpClient client;
  private final Set<HttpConnection> fresh;
  private final int connections;
  private int most;
  private int underWay;

  /**
   * Nothing is asked yet.
   *
   * @param fresh connections that nobody has used so far
   * @param connections how many there may be
   * @param most how many requests there may be at once, unless it shows that no two of them can
   *     share a connection
   */
  Upstream(Origin origin, HttpClient client, Set<HttpConnection> fresh, int connections, int most) {
    this.origin = origin;
    this.client = client;
    this.fresh = fresh;
    this.connections = connections;
    this.most = most;
  }

  Origin origin() {
    return origin;
  }

  boolean isFull() {
    return underWay >= most;
  }

  /** A request to it, of which nothing was sent yet; {@link #over} must be told of its end. */
  Future<HttpClientRequest> request(HttpMethod method, String target) {
    underWay++;
    String prefix = origin.prefix();
    return client.request(
        new RequestOptions()
            .setMethod(method)
            .setHost(origin.host())
            .setPort(origin.port())
            .setSsl(origin.scheme() == Origin.Scheme.HTTPS)
            .setURI(prefix.isEmpty() ? target : prefix + target));
  }

  /** A request that was made has come to an end. */
  void over() {
    underWay--;
  }

  /**
   * Whether a request is the first on its connection. If it is not, the server may have closed the
   * connection before it came.
   */
  boolean isFirst(HttpClientRequest request) {
    boolean isFirst = !fresh.isEmpty() && fresh.remove(request.connection());
    if (isFirst) { // now it is known which version the server chose
      most = request.version() == HttpVersion.HTTP_2 ? Clients.STREAMS : connections;
    }
    return isFirst;
  }
}
