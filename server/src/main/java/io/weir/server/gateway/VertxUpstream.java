package io.weir.server.gateway;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.ConnectionPoolTooBusyException;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * A server to which Vert.x's client connects.
 *
 * <p>How many requests it takes at once depends on its HTTP version, and over HTTP/2 on its
 * settings. Neither is known before the first connection. Until then one request connects, and the
 * others wait for it. Then as many of them as the server takes are sent, and of each client no more
 * than its share. The rest is refused. If the first address fails, all connect on their own, as
 * many as a server with HTTP/1.1 takes.
 */
final class VertxUpstream extends Upstream {
  private final VertxInternal vertx;
  private final HostResolver hostResolver;
  private final UpstreamClients upstreamClients;
  private final HttpClient client;
  private final int connections;
  private final boolean isForUpgrades;
  private final Queue<PlainRequest> waiting = new ArrayDeque<>();
  private @Nullable HttpVersion version; // null: not known
  private boolean isProbing;
  private long probedAt;

  private VertxUpstream(
      Vertx vertx,
      UpstreamServer upstreamServer,
      HostResolver hostResolver,
      UpstreamClients upstreamClients,
      ClientLimits bounds,
      int connections,
      boolean isForUpgrades) {
    super(upstreamServer, bounds, isForUpgrades ? connections : UpstreamClients.STREAMS);
    this.vertx = (VertxInternal) vertx;
    this.hostResolver = hostResolver;
    this.upstreamClients = upstreamClients;
    this.client =
        isForUpgrades
            ? upstreamClients.upgrading(upstreamServer.scheme())
            : upstreamClients.of(upstreamServer.scheme());
    this.connections = connections;
    this.isForUpgrades = isForUpgrades;
    this.version = isForUpgrades ? HttpVersion.HTTP_1_1 : null;
  }

  /**
   * A server for plain requests. Does not connect yet.
   *
   * @param hostResolver resolves its host name
   * @param bounds the shares of one client
   * @param connections the most connections
   */
  static VertxUpstream forRequests(
      Vertx vertx,
      UpstreamServer upstreamServer,
      HostResolver hostResolver,
      UpstreamClients upstreamClients,
      ClientLimits bounds,
      int connections) {
    return new VertxUpstream(
        vertx, upstreamServer, hostResolver, upstreamClients, bounds, connections, false);
  }

  /** A server for upgrades, which only HTTP/1.1 supports; as {@link #forRequests}. */
  static VertxUpstream forUpgrades(
      Vertx vertx,
      UpstreamServer upstreamServer,
      HostResolver hostResolver,
      UpstreamClients upstreamClients,
      ClientLimits bounds,
      int connections) {
    return new VertxUpstream(
        vertx, upstreamServer, hostResolver, upstreamClients, bounds, connections, true);
  }

  /** A request for a connection. */
  private record PlainRequest(
      ClientIdentity clientIdentity,
      HttpMethod method,
      String target,
      ConnectCallback connectCallback) {}

  @Override
  void take(
      ClientIdentity clientIdentity,
      HttpMethod method,
      String target,
      boolean isNew,
      ConnectCallback connectCallback) {
    PlainRequest request = new PlainRequest(clientIdentity, method, target, connectCallback);
    if (version != null) {
      connect(request, connectCallback);
    } else if (!isProbing || isProbeLate()) {
      probe(request);
    } else if (waiting.size() < UpstreamClients.STREAMS) {
      waiting.add(request);
    } else {
      refuse(request);
    }
  }

  private void connect(PlainRequest request, ConnectCallback connectCallback) {
    RequestOptions options =
        new RequestOptions()
            .setMethod(request.method())
            .setHost(upstreamServer().host())
            .setPort(upstreamServer().port())
            .setSsl(upstreamServer().scheme() == UpstreamServer.Scheme.HTTPS)
            .setURI(request.target());
    HttpClient by = isHttp1WithTls() ? upstreamClients.http1WithTls() : client;
    new ConnectAttempt(by, options, connectCallback).begin(vertx.getOrCreateContext());
  }

  private boolean isHttp1WithTls() {
    return !isForUpgrades
        && upstreamServer().scheme() == UpstreamServer.Scheme.HTTPS
        && version != null
        && version != HttpVersion.HTTP_2;
  }

  /** Connects for the first request; the others wait for the result. */
  private void probe(PlainRequest request) {
    isProbing = true;
    probedAt = upstreamClients.nanos();
    connect(request, new Probe(request.connectCallback()));
  }

  /** A server may accept a connection and then send nothing: another request tries again. */
  private boolean isProbeLate() {
    return upstreamClients.nanos() - probedAt > upstreamClients.connectNanos();
  }

  /** Receives the first connection. */
  private final class Probe implements ConnectCallback {
    private final ConnectCallback connectCallback;
    private boolean hasAddress;

    Probe(ConnectCallback connectCallback) {
      this.connectCallback = connectCallback;
    }

    @Override
    public void connected(UpstreamRequest upstreamRequest, boolean isFirst) {
      isProbing = false;
      connectCallback.connected(upstreamRequest, isFirst);
    }

    @Override
    public void notConnected(Throwable cause) {
      isProbing = false;
      connectCallback.notConnected(cause);
      if (cause instanceof CancellationException) {
        probeForNext();
      } else {
        stopWaiting();
      }
    }

    /** Before another address is tried, the others stop waiting: each tries addresses itself. */
    @Override
    public boolean isWaiting() {
      if (hasAddress) {
        stopWaiting();
      }
      hasAddress = true;
      return connectCallback.isWaiting();
    }
  }

  /** The client of the first request has left: connects for the next one. */
  private void probeForNext() {
    PlainRequest next = waiting.poll();
    while (next != null && !next.connectCallback().isWaiting()) {
      cancel(next);
      next = waiting.poll();
    }
    if (next != null) {
      probe(next);
    }
  }

  /** After a failure, the waiting requests connect on their own: as many as with HTTP/1.1. */
  private void stopWaiting() {
    if (version == null) {
      limit(connections);
      admitWaiting();
    }
    if (version == null) {
      limit(UpstreamClients.STREAMS);
    }
  }

  /** Sends the waiting requests, as far as the server takes them and their clients have shares. */
  private void admitWaiting() {
    List<PlainRequest> present = new ArrayList<>();
    for (PlainRequest request : takeWaiting()) {
      if (request.connectCallback().isWaiting()) {
        present.add(request);
      } else {
        cancel(request);
      }
    }
    present.forEach(request -> uncount(request.clientIdentity()));
    List<PlainRequest> admitted = new ArrayList<>();
    List<PlainRequest> refused = new ArrayList<>();
    for (PlainRequest request : present) {
      boolean hasRoom = !isFull() && !isClosedTo(request.clientIdentity());
      (hasRoom ? admitted : refused).add(request);
      if (hasRoom) {
        count(request.clientIdentity());
      }
    }
    refused.forEach(request -> count(request.clientIdentity()));
    admitted.forEach(request -> connect(request, request.connectCallback()));
    refused.forEach(VertxUpstream::refuse);
  }

  private List<PlainRequest> takeWaiting() {
    List<PlainRequest> all = new ArrayList<>(waiting);
    waiting.clear();
    return all;
  }

  private static void cancel(PlainRequest request) {
    request
        .connectCallback()
        .notConnected(new CancellationException("the connection is no longer needed"));
  }

  private static void refuse(PlainRequest request) {
    request
        .connectCallback()
        .notConnected(new ConnectionPoolTooBusyException("the server takes no more requests"));
  }

  /** One attempt to connect for a request. */
  private final class ConnectAttempt extends AddressAttempts {
    private final HttpClient by;
    private final RequestOptions options;
    private final ConnectCallback connectCallback;

    ConnectAttempt(HttpClient by, RequestOptions options, ConnectCallback connectCallback) {
      super(hostResolver);
      this.by = by;
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
      Future<HttpClientRequest> connection;
      try {
        connection = by.request(options);
      } catch (RuntimeException e) {
        end(e);
        return;
      }
      connection.onComplete(
          request -> {
            boolean isFirst = isFirst(request);
            connectCallback.connected(new VertxUpstreamRequest(request), isFirst);
            if (!waiting.isEmpty()) {
              admitWaiting();
            }
          },
          cause -> failed(address, cause));
    }

    @Override
    protected void end(Throwable cause) {
      connectCallback.notConnected(cause);
    }
  }

  private boolean isFirst(HttpClientRequest request) {
    boolean isFirst = upstreamClients.fresh().remove(request.connection());
    if (isFirst || version == null) { // the server has chosen the HTTP version
      version = request.version();
      limit(version == HttpVersion.HTTP_2 ? streams(request.connection()) : connections);
    }
    return isFirst;
  }

  /** A server with HTTP/1.1 may support HTTP/2 by now: the next request shows it. */
  @Override
  void idle() {
    if (isHttp1WithTls() && !isProbing) {
      version = null;
      limit(UpstreamClients.STREAMS);
    }
  }

  /**
   * How many streams the server allows over all connections. More requests would wait for a stream,
   * and slow ones would not be aborted for them.
   */
  private int streams(HttpConnection connection) {
    long each = Math.max(1, connection.remoteSettings().getMaxConcurrentStreams());
    long all = each * UpstreamClients.http2Connections(connections);
    return (int) Math.min(UpstreamClients.STREAMS, all);
  }
}
