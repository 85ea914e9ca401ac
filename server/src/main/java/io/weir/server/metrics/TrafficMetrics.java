package io.weir.server.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.weir.logs.RateLimitedLog;
import io.weir.server.ServerStatus;
import io.weir.server.traffic.GatewayTraffic;
import io.weir.server.traffic.LatencyHistogram;
import io.weir.server.traffic.UpstreamTraffic;
import java.util.ArrayList;
import java.util.List;

/**
 * Metrics of ports besides decisions: requests to the gateway and to the upstreams, open
 * reservations, dropped log lines. Upstreams come from the settings, so there are few.
 */
final class TrafficMetrics {
  private static final double NANOS = 1e9;

  /** The label of requests that were not forwarded. */
  private static final String NONE = "none";

  private TrafficMetrics() {}

  static void addTo(List<MetricSnapshot> all, ServerStatus serverStatus) {
    serverStatus.gateway().ifPresent(gateway -> addGateway(all, gateway));
    all.add(
        MetricFamily.gauge("weir_reservations_open", "Reservations that are open.")
            .add(serverStatus.reservations())
            .snapshot());
    all.add(
        MetricFamily.counter("weir_log_dropped", "Log lines that were not written.")
            .add(serverStatus.droppedAccessLines(), "log", "access")
            .add(RateLimitedLog.skipped(), "log", "server")
            .snapshot());
  }

  private static void addGateway(List<MetricSnapshot> all, GatewayTraffic<?> gateway) {
    MetricFamily<CounterDataPointSnapshot> requests =
        MetricFamily.counter(
            "weir_gateway_requests",
            "Requests to the gateway, by the last server and the status class sent.");
    MetricFamily<CounterDataPointSnapshot> failures =
        MetricFamily.counter(
            "weir_gateway_errors", "Requests that the gateway could not forward, by reason.");
    gateway.unasked().forEach((code, count) -> requests.add(count, "upstream", NONE, "code", code));
    gateway.errors().forEach((kind, count) -> failures.add(count, "kind", kind));
    Upstreams upstreams = new Upstreams();
    for (UpstreamTraffic<?> upstream : gateway.upstreams()) {
      upstream
          .requests()
          .forEach(
              (code, count) -> requests.add(count, "upstream", upstream.label(), "code", code));
      upstreams.add(upstream);
    }
    all.add(requests.snapshot());
    all.add(failures.snapshot());
    all.add(
        MetricFamily.gauge("weir_gateway_held_requests", "Requests held until their turn.")
            .add(gateway.held())
            .snapshot());
    upstreams.addTo(all);
  }

  /** The metrics of each upstream. */
  private static final class Upstreams {
    private final MetricFamily<CounterDataPointSnapshot> retries =
        MetricFamily.counter(
            "weir_upstream_retries", "Retried requests, by the server that failed before.");
    private final MetricFamily<CounterDataPointSnapshot> errors =
        MetricFamily.counter("weir_upstream_errors", "Attempts that failed because of the server.");
    private final MetricFamily<CounterDataPointSnapshot> ejections =
        MetricFamily.counter(
            "weir_upstream_ejections",
            "How often a server was ejected after consecutive failures.");
    private final MetricFamily<GaugeDataPointSnapshot> ejected =
        MetricFamily.gauge(
            "weir_upstream_ejected", "1: the server is ejected, 0: it gets requests.");
    private final List<HistogramDataPointSnapshot> responses = new ArrayList<>();
    private final double[] bounds = bounds();

    private static double[] bounds() {
      long[] nanos = LatencyHistogram.bounds();
      double[] seconds = new double[nanos.length + 1];
      for (int i = 0; i < nanos.length; i++) {
        seconds[i] = nanos[i] / NANOS;
      }
      seconds[nanos.length] = Double.POSITIVE_INFINITY;
      return seconds;
    }

    void add(UpstreamTraffic<?> upstream) {
      String label = upstream.label();
      upstream
          .retries()
          .forEach((reason, count) -> retries.add(count, "upstream", label, "reason", reason));
      upstream
          .errors()
          .forEach((kind, count) -> errors.add(count, "upstream", label, "kind", kind));
      ejections.add(upstream.ejections(), "upstream", label);
      ejected.add(upstream.isOut() ? 1 : 0, "upstream", label);
      responses.add(
          HistogramDataPointSnapshot.builder()
              .classicHistogramBuckets(
                  ClassicHistogramBuckets.of(bounds, upstream.responses().counts()))
              .sum(upstream.responses().sum() / NANOS)
              .labels(Labels.of("upstream", label))
              .build());
    }

    void addTo(List<MetricSnapshot> all) {
      all.add(retries.snapshot());
      all.add(errors.snapshot());
      all.add(ejections.snapshot());
      all.add(ejected.snapshot());
      all.add(
          new HistogramSnapshot(
              new MetricMetadata(
                  "weir_upstream_response_seconds",
                  "Time from sending a request to a server until its response headers arrived."),
              responses));
    }
  }
}
