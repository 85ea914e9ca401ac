package io.weir.server.gateway;

import io.netty.channel.EventLoop;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.net.TrustOptions;
import io.weir.server.Forwarding;
import io.weir.server.http.Unread;
import io.weir.server.wire.Name;
import io.weir.server.wire.Wires;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The connections that one event loop keeps to the servers behind the gateway. */
final class Clients {
  private static final int LONGEST_FIRST_LINE = 8 * 1024;
  private static final int LONGEST_HEAD = 64 * 1024;

  /** Streams that may share the connections of HTTP/2 to a server. */
  static final int STREAMS = 1000;

  /** What a server may send of one response while its client reads nothing. */
  private static final int STREAM_WINDOW = 64 * 1024;

  /** Enough for all: clients that read nothing must not use up what the others need. */
  private static final int CONNECTION_WINDOW = STREAMS * STREAM_WINDOW;

  /** Of those there are more than one only where a server lets few requests share it. */
  private static final int HTTP2_CONNECTIONS = 8;

  /** Shorter than most servers keep theirs, so that a request rarely meets one being closed. */
  private static final int KEPT_SECONDS = 15;

  /** Those who wait for a connection of HTTP/2 to be made, or for one that is being given back. */
  private static final int MOST_WAITING = 1000;

  private final Vertx vertx;
  private final Forwarding settings;
  private final Optional<TrustOptions> ca;
  private final Name.Lookup lookup;
  private final int connections;
  private final Set<HttpConnection> fresh = new HashSet<>();
  private final Map<Kind, HttpClient> clients = new EnumMap<>(Kind.class);

  /**
   * None yet.
   *
   * @param ca whose certificates servers may have; empty: those of well-known authorities
   * @param lookup how servers are found that are known by names
   * @param connections how many there may be to each server
   */
  Clients(
      Vertx vertx,
      Forwarding settings,
      Optional<TrustOptions> ca,
      Name.Lookup lookup,
      int connections) {
    this.vertx = vertx;
    this.lookup = lookup;
    this.settings = settings;
    this.ca = ca;
    this.connections = connections;
  }

  private enum Kind {
    HTTP_2_CLEAR,
    TLS,
    HTTP_1_UPGRADING,
    TLS_UPGRADING
  }

  /** Connections that nobody has used so far. */
  Set<HttpConnection> fresh() {
    return fresh;
  }

  /** For plain requests to servers of this scheme. */
  HttpClient of(Origin.Scheme scheme) {
    return client(
        switch (scheme) {
          case H2C -> Kind.HTTP_2_CLEAR;
          case HTTPS -> Kind.TLS;
          case HTTP -> throw new IllegalArgumentException("wires are used for that");
        });
  }

  /**
   * For requests that turn a connection into something else, which only HTTP/1.1 can. Those last:
   * they do not use up what plain requests need.
   */
  HttpClient upgrading(Origin.Scheme scheme) {
    return client(scheme == Origin.Scheme.HTTPS ? Kind.TLS_UPGRADING : Kind.HTTP_1_UPGRADING);
  }

  /** For plain requests to a server that is spoken to in clear, by HTTP/1.1. */
  Wires wires(EventLoop loop, Origin origin, Name name) {
    return new Wires(
        vertx,
        loop,
        name,
        origin.port(),
        settings.deadlines().connect(),
        Duration.ofSeconds(KEPT_SECONDS));
  }

  /** Where a server is. */
  Name name(Origin origin) {
    return new Name(vertx, origin.host(), settings.deadlines().connect(), lookup);
  }

  private HttpClient client(Kind kind) {
    return clients.computeIfAbsent(kind, this::open);
  }

  private HttpClient open(Kind kind) {
    HttpClientOptions options = plain();
    switch (kind) {
      case HTTP_1_UPGRADING -> {}
      case HTTP_2_CLEAR ->
          options.setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false);
      case TLS ->
          secured(options)
              .setProtocolVersion(HttpVersion.HTTP_2)
              .setAlpnVersions(List.of(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1));
      case TLS_UPGRADING -> secured(options).setAlpnVersions(List.of(HttpVersion.HTTP_1_1));
    }
    return vertx
        .httpClientBuilder()
        .with(options)
        .with(
            new PoolOptions()
                .setHttp1MaxSize(connections)
                .setHttp2MaxSize(Math.min(HTTP2_CONNECTIONS, connections))
                .setMaxWaitQueueSize(MOST_WAITING))
        .withConnectHandler(this::opened)
        .build();
  }

  private void opened(HttpConnection connection) {
    fresh.add(connection);
    Interim.watch(connection);
    CutShort.watch(connection);
    connection.closeHandler(
        gone -> {
          fresh.remove(connection);
          Unread.release(connection);
        });
    connection.exceptionHandler(known -> {}); // the requests on it fail by the same
  }

  private HttpClientOptions plain() {
    return new HttpClientOptions()
        .setConnectTimeout((int) settings.deadlines().connect().toMillis())
        .setKeepAliveTimeout(KEPT_SECONDS)
        .setHttp2KeepAliveTimeout(KEPT_SECONDS)
        .setMaxInitialLineLength(LONGEST_FIRST_LINE)
        .setMaxHeaderSize(LONGEST_HEAD)
        .setDecompressionSupported(false)
        .setHttp2ConnectionWindowSize(CONNECTION_WINDOW)
        .setInitialSettings(
            new Http2Settings()
                .setPushEnabled(false)
                .setInitialWindowSize(STREAM_WINDOW)
                .setMaxHeaderListSize(LONGEST_HEAD));
  }

  private HttpClientOptions secured(HttpClientOptions options) {
    options
        .setSsl(true)
        .setUseAlpn(true)
        .setVerifyHost(true)
        .setSslHandshakeTimeout(settings.deadlines().connect().toMillis())
        .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS);
    ca.ifPresent(options::setTrustOptions);
    return options;
  }
}
