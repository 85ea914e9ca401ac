package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.weir.ManualTime;
import io.weir.Store;
import io.weir.TimeSource;
import io.weir.decision.DecisionCounters;
import io.weir.decision.DecisionEngine;
import io.weir.decision.DecisionListener;
import io.weir.decision.RuleOutcome;
import io.weir.rig.Await;
import io.weir.rules.RequestLimiter;
import io.weir.rules.file.RuleFiles;
import io.weir.rules.match.Network;
import io.weir.server.ServerSettings;
import io.weir.server.ServerSettingsBuilder;
import io.weir.server.connection.CertificateFiles;
import io.weir.server.connection.ConnectionLimiter;
import io.weir.server.connection.EarlyResponder;
import io.weir.server.connection.LimitingTransport;
import io.weir.server.connection.ServerLimits;
import io.weir.server.gateway.http1.HostResolver;
import io.weir.server.http.Listener;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** A gateway on a free port with scripted upstream servers. */
final class GatewayFixture implements AutoCloseable {
  /** Long timeouts for tests that are not about timeouts, because the machine may be busy. */
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** Short timeouts for tests of timeouts, but longer than a pause of a busy machine. */
  static final Duration SHORT = Duration.ofMillis(2500);

  /** An ejected server stays ejected for the rest of a test. */
  private static final Duration OUT = Duration.ofMinutes(10);

  final Vertx vertx;

  /** A strong reference, because Vert.x closes a client that is garbage collected. */
  private final List<Object> clients = new ArrayList<>();

  private final ConnectionLimiter connectionLimiter = new ConnectionLimiter();
  private final AtomicInteger answeredEarly = new AtomicInteger();
  private final Listener gateway;
  private final LongSupplier delayed;

  GatewayFixture(String rules, Handler<HttpServerRequest> server, String... trusted) {
    this(
        new Builder(rules)
            .server("http", server)
            .settings(
                to -> to.trustedProxies(List.of(trusted).stream().map(Network::parse).toList())));
  }

  /** A gateway before {@code upstream}. */
  GatewayFixture(String rules, URI upstream) {
    this(new Builder(rules).upstream(upstream));
  }

  private GatewayFixture(Builder builder) {
    vertx = builder.vertx;
    DecisionCounters decisionCounters = new DecisionCounters(builder.decisionListener);
    RequestLimiter.Builder rules =
        RequestLimiter.builder(
                RuleFiles.read("rules.yaml", builder.rules.getBytes(StandardCharsets.UTF_8))
                    .rules()
                    .orElseThrow())
            .time(builder.time);
    builder.store.ifPresent(rules::store);
    RequestLimiter limiter = rules.build();
    builder.settings.forwarding().upstreams(builder.upstreams);
    Gateway handler =
        new Gateway(
            vertx,
            new DecisionEngine(limiter, decisionCounters, builder.time),
            builder.settings.build(),
            1,
            builder.lookup,
            OUT,
            builder.clock);
    delayed =
        () ->
            decisionCounters.rules(limiter::rules).stream()
                .mapToLong(rule -> rule.count(RuleOutcome.DELAYED))
                .sum();
    HttpServerOptions options = ServerLimits.PUBLIC.at("127.0.0.1", 0);
    builder.options.accept(options);
    gateway =
        await(
            Listener.open(
                vertx,
                options,
                builder.tls,
                connectionLimiter.with(counting(handler.earlyResponder())),
                1,
                handler));
  }

  private EarlyResponder counting(EarlyResponder earlyResponder) {
    return (connection, request) -> {
      ByteBuf early = earlyResponder.respond(connection, request);
      if (early != null) {
        answeredEarly.incrementAndGet();
      }
      return early;
    };
  }

  /** What a stage is built with. */
  static final class Builder {
    final Vertx vertx = LimitingTransport.vertx(new VertxOptions());
    private final String rules;
    private final ServerSettingsBuilder settings = ServerSettings.builder();
    private final List<URI> upstreams = new ArrayList<>();
    private Consumer<HttpServerOptions> options = as -> {};
    private Optional<CertificateFiles> tls = Optional.empty();
    private Optional<Store> store = Optional.empty();
    private TimeSource time = TimeSource.system();
    private TimeSource clock = TimeSource.system().steady();
    private DecisionListener decisionListener = DecisionListener.NOBODY;
    private HostResolver.Lookup lookup = InetAddress::getAllByName;

    Builder(String rules) {
      this.rules = rules;
      settings.forwarding().responseTimeout(PATIENCE).connectTimeout(PATIENCE);
    }

    /**
     * A server behind the gateway.
     *
     * @param way one of those out that {@link ProtocolCombinations} has
     */
    Builder server(String way, Handler<HttpServerRequest> handler) {
      if (way.startsWith("https")) {
        settings.forwarding().ca(TlsSockets.AUTHORITY.certificate());
        boolean isHttp2 = way.equals(ProtocolCombinations.HTTPS_2);
        return upstream(TlsSockets.listen(vertx, TlsSockets.SERVER, isHttp2, handler));
      }
      return upstream(URI.create(way + "://127.0.0.1:" + listen(vertx, handler).actualPort()));
    }

    Builder upstream(URI url) {
      upstreams.add(url);
      return this;
    }

    Builder settings(Consumer<ServerSettingsBuilder> change) {
      change.accept(settings);
      return this;
    }

    /** Changes what holds for the gateway's port. */
    Builder options(Consumer<HttpServerOptions> change) {
      options = change;
      return this;
    }

    Builder tls(CertificateFiles files) {
      tls = Optional.of(files);
      return this;
    }

    /** Where buckets are kept, instead of in memory. */
    Builder store(Store remoteStore) {
      store = Optional.of(remoteStore);
      return this;
    }

    /** How names of servers are looked up. */
    Builder lookup(HostResolver.Lookup by) {
      lookup = by;
      return this;
    }

    /** The listener of decisions. */
    Builder witness(DecisionListener of) {
      decisionListener = of;
      return this;
    }

    Builder time(TimeSource source) {
      time = source;
      return this;
    }

    /** The clock of the gateway's timeouts. */
    Builder clock(TimeSource source) {
      clock = source;
      return this;
    }

    GatewayFixture build() {
      return new GatewayFixture(this);
    }
  }

  /** A server on a free port. */
  static HttpServer listen(Vertx vertx, Handler<HttpServerRequest> handler) {
    HttpServerOptions options =
        new HttpServerOptions().setHost("127.0.0.1").setPort(0).setMaxHeaderSize(64 * 1024);
    return await(vertx.createHttpServer(options).requestHandler(handler).listen());
  }

  int port() {
    return gateway.port();
  }

  /** How many are connected to the gateway. */
  int inside() {
    return connectionLimiter.inside();
  }

  /** How many requests got their response before dispatch. */
  int answeredEarly() {
    return answeredEarly.get();
  }

  /** How many requests were delayed. */
  long delayed() {
    return delayed.getAsLong();
  }

  /** Drains the gateway as at the end of the process. */
  Future<Void> drain(Duration timeout) {
    return gateway.drain(timeout);
  }

  /** A client that uses this version from the first byte on. */
  HttpClient client(HttpVersion version) {
    return client(
        new HttpClientOptions().setProtocolVersion(version).setHttp2ClearTextUpgrade(false));
  }

  HttpClient client(HttpClientOptions options) {
    HttpClient client =
        vertx.createHttpClient(options.setDefaultHost("127.0.0.1").setDefaultPort(port()));
    clients.add(client);
    return client;
  }

  /** A client without a limit on open WebSockets. */
  WebSocketClient webSockets() {
    WebSocketClient client =
        vertx.createWebSocketClient(new WebSocketClientOptions().setMaxConnections(1000));
    clients.add(client);
    return client;
  }

  Socket connect() throws IOException {
    return connectFrom("127.0.0.1");
  }

  /** Connects from a loopback address. */
  Socket connectFrom(String address) throws IOException {
    Socket socket = new Socket("127.0.0.1", port(), InetAddress.getByName(address), 0);
    socket.setSoTimeout(30_000);
    return socket;
  }

  /** Sends bytes as they are, and reads until the gateway closes the connection. */
  String raw(String bytes) throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  /** A server that closes the connection within its response. */
  static Handler<HttpServerRequest> breaksOff(boolean withLength) {
    return request -> {
      HttpServerResponse response = request.response();
      if (withLength) {
        response.putHeader("Content-Length", "1000");
      } else {
        response.setChunked(true);
      }
      response.write("half").onSuccess(written -> request.connection().close());
    };
  }

  /** The body of the response to {@code GET /}. */
  Future<Buffer> body(HttpVersion version) {
    return client(version)
        .request(HttpMethod.GET, "/")
        .compose(HttpClientRequest::send)
        .compose(HttpClientResponse::body);
  }

  /** {@code GET /} with these lines more. */
  String get(String... lines) throws IOException {
    return send("GET /a?b=c", lines);
  }

  /** A request without a body. */
  String send(String what, String... lines) throws IOException {
    StringBuilder request = new StringBuilder(what + " HTTP/1.1\r\nHost: shop.example\r\n");
    for (String line : lines) {
      request.append(line).append("\r\n");
    }
    return raw(request.append("Connection: close\r\n\r\n").toString());
  }

  /** A response with its body, which is lost unless it is taken on the event loop. */
  record Whole(HttpClientResponse response, String body) {
    int status() {
      return response.statusCode();
    }

    String header(String name) {
      return response.getHeader(name);
    }
  }

  /** Sends a request without a body. */
  static Future<Whole> sent(HttpClientRequest request) {
    return wholeOf(request.send());
  }

  /** Must be called before the response can arrive. */
  static Future<Whole> wholeOf(Future<HttpClientResponse> response) {
    return response.compose(each -> each.body().map(body -> new Whole(each, body.toString())));
  }

  /** Until a count that has begun does not change any more. */
  static void awaitStable(LongSupplier count) {
    long[] last = {-1};
    Await.holds(
        "it stands still",
        () -> {
          long now = count.getAsLong();
          boolean still = now > 0 && now == last[0];
          last[0] = now;
          Thread.sleep(300);
          return still;
        });
  }

  /** Waits for a result that comes only when time has passed. */
  static <T> T awaitTimeout(ManualTime clock, Future<T> future) {
    Await.holds(
        "the time is over",
        () -> {
          clock.advance(Duration.ofSeconds(1));
          return future.isComplete();
        });
    return await(future);
  }

  static <T> T await(Future<T> future) {
    try {
      return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    await(vertx.close());
  }
}
