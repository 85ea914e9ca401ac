package io.weir.server.gateway;

import io.weir.TimeSource;
import io.weir.rules.RuleSet;
import io.weir.rules.http.Cors;
import io.weir.server.Forwarding;
import io.weir.server.access.AccessLog;
import io.weir.server.http.RequestTrace;
import io.weir.server.traffic.GatewayTraffic;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The options of every exchange.
 *
 * @param connectNanos timeout for a connection
 * @param responseNanos timeout for the head of a response
 * @param bodyNanos timeout for the next bytes of a body
 * @param maxBody the most bytes of a request body
 * @param minRate the minimum bytes a second of a request body
 * @param minResponseRate the minimum bytes a second that a client must read of a response
 * @param rules the active rules
 * @param traffic the counters of the gateway
 * @param trace receives the events of requests; null for no tracing
 * @param access the access log; null for none
 * @param clock for elapsed times; without steps
 */
record ProxyOptions(
    long connectNanos,
    long responseNanos,
    long bodyNanos,
    long maxBody,
    long minRate,
    long minResponseRate,
    boolean preservesHost,
    Cors cors,
    Supplier<RuleSet> rules,
    GatewayTraffic<ProxyError> traffic,
    @Nullable RequestTrace trace,
    @Nullable AccessLog access,
    TimeSource clock) {
  /** Extra time so that the connecting library times out first, which reports the exact cause. */
  private static final long LATER_NANOS = 2_000_000_000L;

  static ProxyOptions of(
      Forwarding settings,
      Supplier<RuleSet> rules,
      GatewayTraffic<ProxyError> traffic,
      @Nullable RequestTrace trace,
      @Nullable AccessLog access,
      TimeSource clock) {
    return new ProxyOptions(
        settings.upstreamTimeouts().connect().toNanos() + LATER_NANOS,
        settings.upstreamTimeouts().response().toNanos(),
        settings.upstreamTimeouts().body().toNanos(),
        settings.body().most().orElse(Long.MAX_VALUE),
        settings.body().leastRate(),
        settings.clients().leastResponseRate(),
        settings.preserveHost(),
        new Cors(settings.corsOrigins()),
        rules,
        traffic,
        trace,
        access,
        clock);
  }
}
