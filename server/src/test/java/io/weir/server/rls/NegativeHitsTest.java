package io.weir.server.rls;

import static io.weir.server.rls.Rls.descriptor;
import static io.weir.server.rls.Rls.request;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.weir.Store;
import io.weir.decision.DecisionCounters;
import io.weir.decision.DecisionEngine;
import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import io.weir.rules.RequestLimiter;
import io.weir.rules.http.TrustedProxies;
import io.weir.rules.match.Address;
import io.weir.server.ServerSettings;
import io.weir.server.ServerSettingsBuilder;
import io.weir.server.connection.LimitingTransport;
import io.weir.server.connection.MemoryBudget;
import io.weir.server.connection.ServerLimits;
import io.weir.server.http.Bodies;
import io.weir.server.http.Listener;
import io.weir.server.http.Router;
import io.weir.server.http.TokenAuth;
import io.weir.server.rls.proto.descriptor.RateLimitDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Negative hits are accepted from authenticated callers or from this machine, but not from web
 * pages there.
 */
class NegativeHitsTest {
  private static final String RULES =
      "domain: d\ndescriptors:\n  - key: k\n    rate_limit: { unit: hour, requests_per_unit: 9 }\n";
  private static final String BACK =
      "{\"domain\":\"d\",\"descriptors\":[{\"entries\":[{\"key\":\"k\",\"value\":\"v\"}],\"isNegativeHits\":true}]}";

  private final Vertx vertx = LimitingTransport.vertx(new VertxOptions());

  @AfterEach
  void close() {
    vertx.close().toCompletionStage().toCompletableFuture().join();
  }

  private int listen(ServerSettings serverSettings, TrustedProxies near) {
    return listen(serverSettings, near, Store.memory());
  }

  private int listen(ServerSettings serverSettings, TrustedProxies near, Store store) {
    RequestLimiter limiter = RequestLimiter.builder(Rls.rules(RULES)).store(store).build();
    DecisionEngine decisionEngine = new DecisionEngine(limiter, new DecisionCounters());
    TokenAuth tokenAuth = new TokenAuth(Optional.empty());
    RateLimitService rls =
        new RateLimitService(
            decisionEngine, serverSettings, tokenAuth, new Bodies(new MemoryBudget()), near);
    Router router = new Router();
    rls.addTo(router);
    return Listener.open(vertx, ServerLimits.PEERS.at("127.0.0.1", 0), 1, rls.before(router))
        .toCompletionStage()
        .toCompletableFuture()
        .join()
        .port();
  }

  @ParameterizedTest(name = "near {0}, known {1}, from a web page {2}: {3}, {4}")
  @CsvSource({
    "true,  NOBODY,      false, 200, 0",
    "true,  NOBODY,      true,  403, 7",
    "false, NOBODY,      false, 403, 7",
    "false, ENCRYPTED,   false, 403, 7",
    "false, TOKEN,       false, 200, 0",
    "false, TOKEN,       true,  200, 0",
    "false, CERTIFICATE, false, 200, 0",
    "false, CERTIFICATE, true,  200, 0",
  })
  void authorizesNegativeHits(
      boolean isNear, Shown shown, boolean isPage, String status, String code) throws IOException {
    int port =
        listen(
            shown.serverSettings(),
            isNear ? TrustedProxies.LOOPBACK : new TrustedProxies(List.of()));
    String[] origin = isPage ? new String[] {"origin", "http://a"} : new String[0];
    assertThat(json(port, isPage ? "Origin: http://a\r\n" : "")).startsWith("HTTP/1.1 " + status);
    assertThat(call(port, origin)).isEqualTo(code);
  }

  /** The status of a call that refunds. */
  private static String call(int port, String... headers) {
    RateLimitDescriptor.Builder back = descriptor("k", "v").setIsNegativeHits(true);
    byte[] body = request("d", back).build().toByteArray();
    try (RawGrpc raw = new RawGrpc(port)) {
      int id = raw.begin(RawGrpc.METHOD, headers);
      raw.data(id, true, RawGrpc.message(0, body.length, body));
      return raw.outcome(id);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What the settings of the port require of every caller. */
  enum Shown {
    NOBODY,
    ENCRYPTED,
    TOKEN,
    CERTIFICATE;

    ServerSettings serverSettings() {
      ServerSettingsBuilder settings = ServerSettings.builder();
      if (this == TOKEN) {
        settings.serviceToken(new ServerSettings.Secret("a-long-enough-token"));
      }
      if (this == ENCRYPTED || this == CERTIFICATE) {
        settings.tlsCertificate(Path.of("port.pem")).tlsKey(Path.of("port.key"));
      }
      if (this == CERTIFICATE) {
        settings.tlsClientCa(Path.of("clients.pem"));
      }
      return settings.build();
    }
  }

  /**
   * The refund did not reach an unavailable store; if something else was charged, the request must
   * not be repeated.
   */
  @Test
  void reportsFailedRefundUnlessSomethingWasCharged() throws IOException {
    try (Store away = Store.open("redis://127.0.0.1:1")) {
      int port = listen(ServerSettings.DEMO, TrustedProxies.LOOPBACK, away);
      assertThat(json(port, ""))
          .startsWith("HTTP/1.1 503")
          .containsIgnoringCase("retry-after: 1")
          .contains("\"error\":\"store_unavailable\"");
      String more = "{\"entries\":[{\"key\":\"k\",\"value\":\"w\"}]},";
      assertThat(json(port, "", BACK.replace(":[{\"entries", ":[" + more + "{\"entries")))
          .startsWith("HTTP/1.1 200");
      assertThat(call(port)).as("UNAVAILABLE").isEqualTo("14");
    }
  }

  /** Clients repeat what was UNAVAILABLE by themselves: that would refund twice. */
  @Test
  void refundWithUnknownResultIsNotRetryable() throws IOException {
    try (RedisProcess redis = RedisProcess.start();
        Store store = Store.open("redis://127.0.0.1:" + redis.port() + "?timeout=2s")) {
      int port = listen(ServerSettings.DEMO, TrustedProxies.LOOPBACK, store);
      Await.holds("the store has the refund", () -> call(port).equals("0"));
      redis.suspend();
      assertThat(call(port)).as("UNKNOWN").isEqualTo("2");
      redis.resume();
      Await.holds("the store has the refund", () -> call(port).equals("0"));
      redis.suspend();
      assertThat(json(port, ""))
          .startsWith("HTTP/1.1 503")
          .doesNotContainIgnoringCase("retry-after")
          .contains("\"error\":\"store_unavailable\"", "do not repeat it");
      redis.resume();
    }
  }

  private static String json(int port, String headers) throws IOException {
    return json(port, headers, BACK);
  }

  private static String json(int port, String headers, String body) throws IOException {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(30_000);
      String head =
          "POST /json HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: "
              + body.length()
              + "\r\n"
              + headers
              + "\r\n";
      socket.getOutputStream().write((head + body).getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, true", "127.9.9.9, true", "::1, true", "::ffff:127.0.0.1, true",
    "10.0.0.1, false", "192.168.1.1, false", "::ffff:10.0.0.1, false", "fe80::1, false",
  })
  void trustsLoopbackPeersOnly(String address, boolean isNear) {
    assertThat(TrustedProxies.LOOPBACK.trusts(Address.parse(address))).isEqualTo(isNear);
  }
}
