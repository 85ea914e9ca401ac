package io.weir.server.admin;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.decision.DecisionEngine;
import io.weir.decision.RuleSource;
import io.weir.insight.ActivityHistory;
import io.weir.insight.Insights;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import io.weir.runtime.Node;
import io.weir.server.ServerSettings;
import io.weir.server.ServerStatus;
import io.weir.server.connection.LimitingTransport;
import io.weir.server.connection.ServerLimits;
import io.weir.server.http.Listener;
import io.weir.server.http.Router;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** An admin port on a free port, in a time that stands still. */
final class Admin implements AutoCloseable {
  static final int LISTENERS = 3;

  final ManualTime time = TimeSource.manual().set(Instant.ofEpochMilli(1_790_000_000_000L));
  final DecisionEngine decisionEngine;
  final RuleSource feed;
  final ActivityHistory activityHistory;
  final Insights insights;
  final AdminApi api;
  private final Vertx vertx = LimitingTransport.vertx(new VertxOptions());
  private final Node node;
  private final Listener listener;

  Admin(String rules) {
    this(rules, "memory", Optional.empty());
  }

  Admin(String rules, String storeUrl, Optional<String> token) {
    feed = RuleSource.of(rules(rules));
    insights = Insights.ofAllCallers();
    node = Node.builder(feed).store(storeUrl).maxKeys(2).time(time).observer(insights).open();
    decisionEngine = node.decisionEngine();
    activityHistory = insights.activityHistory();
    ServerSettings open = ServerSettings.DEMO.onFreePorts();
    ServerSettings serverSettings =
        token
            .map(secret -> open.toBuilder().adminToken(new ServerSettings.Secret(secret)).build())
            .orElse(open);
    Router router = new Router();
    api = new AdminApi(node, insights, serverSettings, new ServerStatus(), LISTENERS);
    api.addTo(router);
    listener = await(Listener.open(vertx, ServerLimits.PUBLIC.at("127.0.0.1", 0), 1, router));
  }

  static RuleSet rules(String yaml) {
    return RuleFiles.read("rules.yaml", yaml.getBytes(UTF_8)).rules().orElseThrow();
  }

  /** A request with these attributes is decided. */
  void decide(Map<String, String> attributes) {
    decisionEngine.decide(attributes::get).toCompletableFuture().join();
  }

  /** Sends a request line with headers and {@code Host: localhost}; returns the whole response. */
  String send(String line, String... headers) {
    return sendTo("localhost:" + listener.port(), line, headers);
  }

  /** Sends a request line with headers for {@code host}; returns the whole response. */
  String sendTo(String host, String line, String... headers) {
    StringBuilder request = new StringBuilder(line).append(" HTTP/1.1\r\nHost: " + host + "\r\n");
    for (String header : headers) {
      request.append(header).append("\r\n");
    }
    request.append("Connection: close\r\n\r\n");
    try (Socket socket = new Socket("127.0.0.1", listener.port())) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(request.toString().getBytes(ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The body of a response. */
  static String body(String response) {
    return response.substring(response.indexOf("\r\n\r\n") + 4);
  }

  int port() {
    return listener.port();
  }

  String origin() {
    return "http://localhost:" + listener.port();
  }

  private static <T> T await(Future<T> future) {
    return future.toCompletionStage().toCompletableFuture().join();
  }

  @Override
  public void close() {
    api.close();
    await(vertx.close());
    node.close();
  }
}
