package io.weir.server.service;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.weir.ManualTime;
import io.weir.Store;
import io.weir.TimeSource;
import io.weir.decision.DecisionCounters;
import io.weir.decision.DecisionEngine;
import io.weir.rules.RequestLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import io.weir.rules.http.TrustedProxies;
import io.weir.rules.match.Network;
import io.weir.server.ServerSettings;
import io.weir.server.ServerSettingsBuilder;
import io.weir.server.connection.LimitingTransport;
import io.weir.server.connection.MemoryBudget;
import io.weir.server.connection.ServerLimits;
import io.weir.server.http.Bodies;
import io.weir.server.http.Listener;
import io.weir.server.http.Router;
import io.weir.server.http.TokenAuth;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The HTTP interface of the service on a free port, in a time that stands still. */
final class Service implements AutoCloseable {
  /** The moment at which it stands still. */
  static final long NOW = 1_790_000_000_000L;

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(20)).build();

  final ManualTime time = TimeSource.manual().set(Instant.ofEpochMilli(NOW));
  final Router router = new Router();
  private final Vertx vertx = LimitingTransport.vertx(new VertxOptions());
  private final Store store;
  private final Listener listener;

  private Service(Builder builder) {
    store = Store.open(builder.store);
    RequestLimiter.Builder limiter = RequestLimiter.builder(rules(builder.rules)).store(store);
    if (builder.store.equals("memory")) {
      limiter.time(time);
    }
    ServerSettingsBuilder chosen =
        ServerSettings.DEMO.onFreePorts().toBuilder()
            .store(builder.store)
            .trustedPeers(builder.trusted);
    builder.token.map(ServerSettings.Secret::new).ifPresent(chosen::serviceToken);
    ServerSettings serverSettings = chosen.build();
    DecisionEngine decisionEngine =
        new DecisionEngine(limiter.build(), new DecisionCounters(), time);
    new ServiceApi(decisionEngine, serverSettings, new Bodies(new MemoryBudget()), builder.near)
        .addTo(router);
    listener =
        Listener.open(
                vertx,
                ServerLimits.PEERS.at("127.0.0.1", 0),
                2,
                new TokenAuth(builder.token).before(router))
            .toCompletionStage()
            .toCompletableFuture()
            .join();
  }

  static RuleSet rules(String yaml) {
    try {
      Path file = Files.createTempFile("rules", ".yaml");
      try {
        Files.writeString(file, yaml);
        return RuleFiles.load(List.of(file));
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Builder builder(String rules) {
    return new Builder(rules);
  }

  static Service start(String rules) {
    return builder(rules).start();
  }

  int port() {
    return listener.port();
  }

  /** A request over one of the versions of HTTP. */
  HttpRequest.Builder request(HttpClient.Version version, String target) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + target))
        .version(version)
        .timeout(Duration.ofSeconds(30));
  }

  Reply send(HttpRequest.Builder request) {
    try {
      HttpResponse<String> response =
          CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString(UTF_8));
      return new Reply(response);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  Reply get(String target) {
    return send(request(HttpClient.Version.HTTP_1_1, target));
  }

  Reply post(String path, String body) {
    return post(HttpClient.Version.HTTP_1_1, path, body);
  }

  Reply post(HttpClient.Version version, String path, String body) {
    return send(request(version, path).POST(HttpRequest.BodyPublishers.ofString(body, UTF_8)));
  }

  /** Sends a GET with headers, each a name and then its value. */
  Reply get(String target, String... headers) {
    HttpRequest.Builder request = request(HttpClient.Version.HTTP_1_1, target);
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return send(request);
  }

  /** A connection with a read timeout. */
  Socket connect() throws IOException {
    Socket socket = new Socket("127.0.0.1", port());
    socket.setSoTimeout(30_000);
    return socket;
  }

  /** Sends bytes as they are, and reads until the server closes the connection. */
  String raw(String bytes) throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  @Override
  public void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
    store.close();
  }

  /** What came back. */
  record Reply(HttpResponse<String> response) {
    int status() {
      return response.statusCode();
    }

    String body() {
      return response.body();
    }

    String header(String name) {
      return String.join(" & ", response.headers().allValues(name));
    }
  }

  static final class Builder {
    private final String rules;
    private String store = "memory";
    private TrustedProxies near = TrustedProxies.LOOPBACK;
    private Optional<String> token = Optional.empty();
    private List<Network> trusted = List.of();

    private Builder(String rules) {
      this.rules = rules;
    }

    Builder store(String url) {
      store = url;
      return this;
    }

    /** As if no caller were on this machine. */
    Builder far() {
      near = new TrustedProxies(List.of());
      return this;
    }

    Builder token(String secret) {
      token = Optional.of(secret);
      return this;
    }

    Builder trusting(String... networks) {
      trusted = List.of(networks).stream().map(Network::parse).toList();
      return this;
    }

    Service start() {
      return new Service(this);
    }
  }
}
