package io.weir.server.gateway;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.net.URI;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The server behind the gateway, over connections that are kept. */
final class Upstream {
  private static final int MOST_CONNECTIONS = 256;
  private static final int MOST_WAITING = 1024;
  private static final int LONGEST_FIRST_LINE = 8 * 1024;
  private static final int LONGEST_HEAD = 64 * 1024;

  /** Shorter than servers keep theirs, so that a request rarely meets one that is being closed. */
  private static final int KEPT_SECONDS = 15;

  private static final Duration CONNECT = Duration.ofSeconds(3);

  private final HttpClient client;
  private final String host;
  private final int port;
  private final boolean isTls;
  private final String prefix;

  /**
   * A server by its URL.
   *
   * @param patience how long a connection may be silent in the midst of a request
   */
  Upstream(Vertx vertx, URI url, Duration patience) {
    this.isTls = "https".equals(String.valueOf(url.getScheme()).toLowerCase(Locale.ROOT));
    this.host = url.getHost();
    this.port = url.getPort() >= 0 ? url.getPort() : isTls ? 443 : 80;
    String path = url.getRawPath() == null ? "" : url.getRawPath();
    this.prefix = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    this.client =
        vertx
            .httpClientBuilder()
            .with(
                new HttpClientOptions()
                    .setConnectTimeout((int) CONNECT.toMillis())
                    .setIdleTimeout((int) patience.toMillis() * 2)
                    .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                    .setKeepAliveTimeout(KEPT_SECONDS)
                    .setMaxInitialLineLength(LONGEST_FIRST_LINE)
                    .setMaxHeaderSize(LONGEST_HEAD))
            .with(
                new PoolOptions()
                    .setHttp1MaxSize(MOST_CONNECTIONS)
                    .setMaxWaitQueueSize(MOST_WAITING))
            .build();
  }

  /** A request to it, of which nothing was sent yet. */
  Future<HttpClientRequest> request(HttpMethod method, String target) {
    return client.request(
        new RequestOptions()
            .setMethod(method)
            .setHost(host)
            .setPort(port)
            .setSsl(isTls)
            .setURI(prefix + target));
  }
}
