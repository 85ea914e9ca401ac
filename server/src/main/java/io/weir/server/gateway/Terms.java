package io.weir.server.gateway;

import io.weir.rules.RuleSet;
import io.weir.rules.http.Cors;
import io.weir.server.Forwarding;
import io.weir.server.access.AccessLog;
import io.weir.server.http.RequestTrace;
import io.weir.server.traffic.GatewayTraffic;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What holds for every exchange.
 *
 * @param connectNanos how long a connection is waited for
 * @param responseNanos how long the head of a response is waited for
 * @param bodyNanos how long the next bytes of a body are waited for
 * @param maxBody the most bytes of a request's body
 * @param leastRate the least bytes a second of a request's body
 * @param leastResponseRate the least bytes a second that a client takes of a response
 * @param rules those in force
 * @param traffic where requests are counted
 * @param trace to whom they are reported; null: nobody follows them
 * @param access where they are logged; null: nowhere
 */
record Terms(
    long connectNanos,
    long responseNanos,
    long bodyNanos,
    long maxBody,
    long leastRate,
    long leastResponseRate,
    boolean preservesHost,
    Cors cors,
    Supplier<RuleSet> rules,
    GatewayTraffic<Failure> traffic,
    @Nullable RequestTrace trace,
    @Nullable AccessLog access) {
  /** The library that connects gives up first, and knows why. */
  private static final long LATER_NANOS = 2_000_000_000L;

  static Terms of(
      Forwarding settings,
      Supplier<RuleSet> rules,
      GatewayTraffic<Failure> traffic,
      @Nullable RequestTrace trace,
      @Nullable AccessLog access) {
    return new Terms(
        settings.deadlines().connect().toNanos() + LATER_NANOS,
        settings.deadlines().response().toNanos(),
        settings.deadlines().body().toNanos(),
        settings.body().most().orElse(Long.MAX_VALUE),
        settings.body().leastRate(),
        settings.clients().leastResponseRate(),
        settings.preserveHost(),
        new Cors(settings.corsOrigins()),
        rules,
        traffic,
        trace,
        access);
  }
}
