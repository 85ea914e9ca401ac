package io.weir.server;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.weir.AsyncRateLimiter;
import io.weir.Limit;
import io.weir.Origin;
import io.weir.RateLimiter;
import io.weir.Store;
import io.weir.TimeSource;
import io.weir.proto.ProtoWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Sends the first requests before clients do.
 *
 * <p>The first request of each kind loads hundreds of classes: a gRPC call or a TLS handshake then
 * takes tenths of a second, but Envoy waits for 20 ms. So before a node reports that it is ready,
 * it sends requests to a copy of its gateway and service, see {@link WarmUpServers}: HTTP, gRPC,
 * and TLS with the node's certificate. Every event loop gets connections of its own. The store
 * charges a key that no client has, and removes it.
 *
 * <p>It takes {@link #TIME_LIMIT} at most. A failure is logged and does not keep the node from
 * starting.
 */
final class WarmUp {
  /** After that time the node is ready all the same. */
  static final Duration TIME_LIMIT = Duration.ofSeconds(15);

  private static final int CHARGES = 50;
  private static final System.Logger LOG = System.getLogger("io.weir.server");
  private static final String CALL = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

  /** How long requests are repeated once each kind was sent, so that hot code is compiled. */
  private static final long REPEATING = TimeUnit.MILLISECONDS.toNanos(300);

  private static final int MAX_ROUNDS = 40;
  private static final int MAX_CONNECTIONS = 8;

  private final Vertx vertx;
  private final ServerSettings serverSettings;
  private final int loops;
  private final TimeSource clock;
  private final Duration timeLimit;
  private final long deadline;

  /**
   * @param loops how many event loops serve a port
   * @param timeLimit the time limit, which starts now
   * @param clock without steps
   */
  WarmUp(
      Vertx vertx, ServerSettings serverSettings, int loops, Duration timeLimit, TimeSource clock) {
    this.clock = clock;
    this.timeLimit = timeLimit;
    this.deadline = clock.epochNanos() + timeLimit.toNanos();
    this.vertx = vertx;
    this.serverSettings = serverSettings;
    this.loops = loops;
  }

  /** Blocks until the warm-up is done or the time is over. */
  void run(Store store) {
    long begun = clock.epochNanos();
    WarmUpServers servers = new WarmUpServers(vertx, loops);
    try {
      CompletionStage<?> charged = charge(store);
      request(servers);
      await(charged);
      LOG.log(
          System.Logger.Level.DEBUG,
          "warmed up in {0} ms",
          TimeUnit.NANOSECONDS.toMillis(clock.epochNanos() - begun));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException
        | GeneralSecurityException
        | ExecutionException
        | TimeoutException
        | RuntimeException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the warm-up did not succeed, so the first requests may be slow: " + e);
    } finally {
      servers.close();
    }
  }

  /**
   * Charges a key that no client has, some times, and removes it. A store that is down gets one
   * request, so that only one failure is counted.
   */
  private static CompletionStage<?> charge(Store store) {
    AsyncRateLimiter limiter =
        RateLimiter.builder()
            .name("weir-warm-up")
            .limit(Limit.tokenBucket(1000).perSecond()) // what is left expires within a second
            .store(store)
            .build()
            .async();
    String key = "warm-up-" + UUID.randomUUID();
    return limiter
        .peek(key, 1)
        .thenCompose(
            known ->
                known.origin() == Origin.FAILURE
                    ? CompletableFuture.completedStage(null)
                    : charge(limiter, key, CHARGES).thenCompose(charged -> limiter.reset(key)));
  }

  private static CompletionStage<?> charge(AsyncRateLimiter limiter, String key, int times) {
    return limiter
        .check(key)
        .thenCompose(
            decision ->
                times <= 1 || decision.origin() == Origin.FAILURE
                    ? CompletableFuture.completedStage(null)
                    : charge(limiter, key, times - 1));
  }

  /**
   * Sends each kind of request once, and then again on other connections, and thus to other loops.
   */
  private void request(WarmUpServers servers)
      throws IOException,
          GeneralSecurityException,
          ExecutionException,
          TimeoutException,
          InterruptedException {
    Optional<ServerSettings.Tls> tls = serverSettings.service().tls();
    Target service = new Target(await(servers.service(serverSettings)).port(), context(tls));
    callService(service, 1);
    if (tls.isPresent()) {
      tls.get().files().validateAsClient(vertx);
    }
    int port = await(servers.gateway(serverSettings)).port();
    Target gateway = new Target(port, context(serverSettings.gatewayTls()));
    callGateway(gateway, 1);
    long end = clock.epochNanos() + REPEATING;
    for (int i = 0; i < connections() && clock.epochNanos() - end < 0; i++) {
      callService(service, MAX_ROUNDS / connections());
      callGateway(gateway, MAX_ROUNDS / connections());
    }
  }

  private void callService(Target service, int rounds) throws IOException, TimeoutException {
    try (WarmUpConnection grpc = connect(service, "h2")) {
      for (int round = 0; round < rounds; round++) {
        require(grpc.call(CALL, rateLimitRequest("client")));
        require(grpc.call(CALL, rateLimitRequest(WarmUpServers.REFUSED)));
      }
    }
    try (WarmUpConnection http = connect(service, "http/1.1")) {
      for (int round = 0; round < rounds; round++) {
        require(http.send("POST", "/v1/check", check("/")) == 200);
        require(http.send("POST", "/v1/check", check("/" + WarmUpServers.REFUSED)) == 429);
      }
    }
  }

  private void callGateway(Target gateway, int rounds) throws IOException, TimeoutException {
    try (WarmUpConnection http = connect(gateway, "http/1.1")) {
      for (int round = 0; round < rounds; round++) {
        require(http.send("GET", "/hello", "") == 200);
        require(http.send("GET", "/" + WarmUpServers.REFUSED, "") == 429);
      }
    }
  }

  private int connections() {
    return Math.min(loops, MAX_CONNECTIONS);
  }

  private static void require(boolean isAsExpected) throws IOException {
    if (!isAsExpected) {
      throw new IOException("an unexpected response");
    }
  }

  private static ProtoWriter rateLimitRequest(String key) {
    ProtoWriter message = new ProtoWriter(64).text(1, WarmUpServers.DOMAIN);
    int descriptor = message.mark();
    int entry = message.mark();
    message.text(1, key).text(2, "warm-up").message(1, entry);
    return message.message(2, descriptor);
  }

  private static String check(String path) {
    return "{\"attributes\":{\"ip\":\"192.0.2.1\",\"method\":\"GET\",\"path\":\"" + path + "\"}}";
  }

  private WarmUpConnection connect(Target to, String protocol)
      throws IOException, TimeoutException {
    int millis = Math.max(1, (int) TimeUnit.NANOSECONDS.toMillis(left()));
    InetAddress here = InetAddress.getLoopbackAddress();
    return new WarmUpConnection(here, to.port, to.tls, protocol, millis);
  }

  private <T> T await(Future<T> future)
      throws ExecutionException, TimeoutException, InterruptedException {
    return await(future.toCompletionStage());
  }

  private <T> T await(CompletionStage<T> stage)
      throws ExecutionException, TimeoutException, InterruptedException {
    return stage.toCompletableFuture().get(left(), TimeUnit.NANOSECONDS);
  }

  private long left() throws TimeoutException {
    long left = deadline - clock.epochNanos();
    if (left <= 0) {
      throw new TimeoutException("it took longer than " + timeLimit.toMillis() + " ms");
    }
    return left;
  }

  /** Trusts every certificate, because the other end is this process. */
  private static @Nullable SSLContext context(Optional<ServerSettings.Tls> tls)
      throws GeneralSecurityException {
    if (tls.isEmpty()) {
      return null;
    }
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new TrustAllManager()}, null);
    return context;
  }

  /**
   * A port to send requests to.
   *
   * @param tls null: plain text
   */
  private record Target(int port, @Nullable SSLContext tls) {}

  private static final class TrustAllManager implements X509TrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
