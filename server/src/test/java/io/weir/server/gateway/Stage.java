package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.rules.RequestLimiter;
import io.weir.rules.file.RuleFiles;
import io.weir.rules.match.Network;
import io.weir.server.Arbiter;
import io.weir.server.Settings;
import io.weir.server.Tally;
import io.weir.server.door.Doors;
import io.weir.server.http.Bounds;
import io.weir.server.http.Listener;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A gateway on a free port, before a server that does what a test says. */
final class Stage implements AutoCloseable {
  /** What a gateway waits for a response here. */
  static final Duration PATIENCE = Duration.ofMillis(700);

  final Vertx vertx = Doors.vertx(new VertxOptions());

  /** Vert.x closes a client that nobody refers to any more. */
  private final List<HttpClient> clients = new ArrayList<>();

  private final Listener gateway;

  Stage(String rules, Handler<HttpServerRequest> server, String... trusted) {
    this(rules, null, server, trusted);
  }

  /** A gateway before {@code upstream}. */
  Stage(String rules, URI upstream) {
    this(rules, upstream, request -> {});
  }

  private Stage(String rules, URI upstream, Handler<HttpServerRequest> server, String... trusted) {
    URI before = upstream;
    if (before == null) {
      HttpServerOptions options = new HttpServerOptions().setHost("127.0.0.1").setPort(0);
      int port =
          await(vertx.createHttpServer(options).requestHandler(server).listen()).actualPort();
      before = URI.create("http://127.0.0.1:" + port);
    }
    RequestLimiter limiter =
        RequestLimiter.builder(
                RuleFiles.read("rules.yaml", rules.getBytes(StandardCharsets.UTF_8))
                    .rules()
                    .orElseThrow())
            .build();
    Gateway handler =
        new Gateway(
            vertx,
            new Arbiter(limiter, new Tally()),
            settings(List.of(trusted).stream().map(Network::parse).toList()),
            before,
            PATIENCE);
    gateway = await(Listener.open(vertx, Bounds.STRANGERS.at("127.0.0.1", 0), 2, handler));
  }

  private static Settings settings(List<Network> trusted) {
    return Settings.DEMO.toBuilder().trustedProxies(trusted).build();
  }

  int port() {
    return gateway.port();
  }

  /** A client that speaks this version from the first byte on. */
  HttpClient client(HttpVersion version) {
    HttpClient client =
        vertx.createHttpClient(
            new HttpClientOptions()
                .setProtocolVersion(version)
                .setHttp2ClearTextUpgrade(false)
                .setDefaultHost("127.0.0.1")
                .setDefaultPort(port()));
    clients.add(client);
    return client;
  }

  Socket connect() throws IOException {
    Socket socket = new Socket("127.0.0.1", port());
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

  /** {@code GET /} with these lines more. */
  String get(String... lines) throws IOException {
    StringBuilder request = new StringBuilder("GET /a?b=c HTTP/1.1\r\nHost: shop.example\r\n");
    for (String line : lines) {
      request.append(line).append("\r\n");
    }
    return raw(request.append("Connection: close\r\n\r\n").toString());
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
