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
import io.weir.TimeSource;
import io.weir.server.Forwarding;
import io.weir.server.connection.StreamWritability;
import io.weir.server.connection.UnreadData;
import io.weir.server.gateway.http1.ClientCodec;
import io.weir.server.gateway.http1.HostResolver;
import io.weir.server.gateway.http1.Http1Pool;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The HTTP clients by which one event loop connects to upstream servers. */
final class UpstreamClients {
  private static final int MAX_FIRST_LINE_BYTES = 8 * 1024;
  private static final int MAX_HEAD_BYTES = 64 * 1024;

  /** The most concurrent streams over the HTTP/2 connections to one server. */
  static final int STREAMS = 1000;

  /** How much of one response a server may send while its client does not read. */
  private static final int STREAM_WINDOW = 64 * 1024;

  /** Large enough for all streams: clients that do not read must not block the others. */
  private static final int CONNECTION_WINDOW = STREAMS * STREAM_WINDOW;

  /** More than one HTTP/2 connection is opened only if the server allows few streams on each. */
  private static final int HTTP2_CONNECTIONS = 8;

  /** Shorter than most servers' keep-alive, so that a request rarely meets a closing connection. */
  private static final int KEPT_SECONDS = 15;

  /** The most requests that wait for an HTTP/2 connection to open or for one to be returned. */
  private static final int MAX_WAITING = 1000;

  private final Vertx vertx;
  private final Forwarding settings;
  private final Optional<TrustOptions> ca;
  private final HostResolver.Lookup lookup;
  private final TimeSource clock;
  private final int connections;
  private final Set<HttpConnection> fresh = new HashSet<>();
  private final Map<Kind, HttpClient> clients = new EnumMap<>(Kind.class);

  /**
   * Without connections.
   *
   * @param ca the authorities of server certificates; empty for the platform's
   * @param lookup resolves host names
   * @param clock without steps
   * @param connections the most connections to each server
   */
  UpstreamClients(
      Vertx vertx,
      Forwarding settings,
      Optional<TrustOptions> ca,
      HostResolver.Lookup lookup,
      TimeSource clock,
      int connections) {
    this.vertx = vertx;
    this.lookup = lookup;
    this.clock = clock;
    this.settings = settings;
    this.ca = ca;
    this.connections = connections;
  }

  private enum Kind {
    HTTP_2_CLEAR,
    TLS,
    TLS_HTTP_1,
    HTTP_1_UPGRADING,
    TLS_UPGRADING
  }

  /** The most HTTP/2 connections to a server to which {@code connections} are allowed. */
  static int http2Connections(int connections) {
    return Math.min(HTTP2_CONNECTIONS, connections);
  }

  /** The time, for intervals. */
  long nanos() {
    return clock.epochNanos();
  }

  /** How long a connection may take. */
  long connectNanos() {
    return settings.upstreamTimeouts().connect().toNanos();
  }

  /** Connections that have not been used yet. */
  Set<HttpConnection> fresh() {
    return fresh;
  }

  /** The client for plain requests to servers of this scheme. */
  HttpClient of(UpstreamServer.Scheme scheme) {
    return client(
        switch (scheme) {
          case H2C -> Kind.HTTP_2_CLEAR;
          case HTTPS -> Kind.TLS;
          case HTTP -> throw new IllegalArgumentException("plain HTTP/1.1 uses Wires");
        });
  }

  /**
   * The client for plain requests to servers with TLS that do not support HTTP/2. While the one for
   * both versions connects, it counts each attempt as an HTTP/2 connection, and makes no more than
   * those at once.
   */
  HttpClient http1WithTls() {
    return client(Kind.TLS_HTTP_1);
  }

  /**
   * The client for upgrades, which only HTTP/1.1 supports. Upgraded connections last long, so they
   * have a pool of their own and do not use up the connections of plain requests.
   */
  HttpClient upgrading(UpstreamServer.Scheme scheme) {
    return client(
        scheme == UpstreamServer.Scheme.HTTPS ? Kind.TLS_UPGRADING : Kind.HTTP_1_UPGRADING);
  }

  /** The connection pool for plain requests to a server over HTTP/1.1 without TLS. */
  Http1Pool http1Pool(EventLoop loop, UpstreamServer upstreamServer, HostResolver hostResolver) {
    return new Http1Pool(
        vertx,
        loop,
        hostResolver,
        upstreamServer.port(),
        settings.upstreamTimeouts().connect(),
        Duration.ofSeconds(KEPT_SECONDS));
  }

  /** The resolver of a server's host name. */
  HostResolver name(UpstreamServer upstreamServer) {
    return new HostResolver(
        vertx, upstreamServer.host(), settings.upstreamTimeouts().connect(), lookup, clock);
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
      case TLS_HTTP_1, TLS_UPGRADING ->
          secured(options).setAlpnVersions(List.of(HttpVersion.HTTP_1_1));
    }
    return vertx
        .httpClientBuilder()
        .with(options)
        .with(
            new PoolOptions()
                .setHttp1MaxSize(connections)
                .setHttp2MaxSize(http2Connections(connections))
                .setMaxWaitQueueSize(MAX_WAITING))
        .withConnectHandler(this::opened)
        .build();
  }

  private void opened(HttpConnection connection) {
    fresh.add(connection);
    ClientCodec.install(connection);
    StreamWritability.watch(connection);
    connection.closeHandler(
        gone -> {
          fresh.remove(connection);
          UnreadData.release(connection);
        });
    connection.exceptionHandler(known -> {}); // its requests fail with the same exception
  }

  private HttpClientOptions plain() {
    return new HttpClientOptions()
        .setConnectTimeout((int) settings.upstreamTimeouts().connect().toMillis())
        .setKeepAliveTimeout(KEPT_SECONDS)
        .setHttp2KeepAliveTimeout(KEPT_SECONDS)
        .setMaxInitialLineLength(MAX_FIRST_LINE_BYTES)
        .setMaxHeaderSize(MAX_HEAD_BYTES)
        .setDecompressionSupported(false)
        .setHttp2ConnectionWindowSize(CONNECTION_WINDOW)
        .setInitialSettings(
            new Http2Settings()
                .setPushEnabled(false)
                .setInitialWindowSize(STREAM_WINDOW)
                .setMaxHeaderListSize(MAX_HEAD_BYTES));
  }

  private HttpClientOptions secured(HttpClientOptions options) {
    options
        .setSsl(true)
        .setUseAlpn(true)
        .setVerifyHost(true)
        .setSslHandshakeTimeout(settings.upstreamTimeouts().connect().toMillis())
        .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS);
    ca.ifPresent(options::setTrustOptions);
    return options;
  }
}
