package io.weir.server.metrics;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmInfoMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.List;
import java.util.Set;

/**
 * Metrics of the JVM and the process by Micrometer: memory, collections, threads, classes,
 * processor, uptime and open files. There is one for all servers of a process, because its
 * listeners are never removed from the garbage collector. Counting begins with the first scrape.
 */
final class JvmMetrics {
  private static final Set<String> FAULTY = Set.of("process.cpu.time", "system.cpu.count");
  private static final PrometheusMeterRegistry REGISTRY = registry();

  private JvmMetrics() {}

  private static PrometheusMeterRegistry registry() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    registry.config().meterFilter(MeterFilter.deny(JvmMetrics::isOmitted));
    List<MeterBinder> binders =
        List.of(
            new JvmInfoMetrics(),
            new JvmMemoryMetrics(),
            collections(),
            new JvmThreadMetrics(),
            new ClassLoaderMetrics(),
            new ProcessorMetrics(),
            new UptimeMetrics(),
            new FileDescriptorMetrics());
    binders.forEach(binder -> binder.bindTo(registry));
    return registry;
  }

  @SuppressWarnings("resource") // for as long as the process runs
  private static JvmGcMetrics collections() {
    return new JvmGcMetrics();
  }

  /**
   * Metrics that violate Prometheus conventions: a time in nanoseconds, and a name like a
   * histogram's.
   */
  private static boolean isOmitted(Meter.Id meter) {
    return FAULTY.contains(meter.getName());
  }

  static MetricSnapshots snapshots() {
    return REGISTRY.getPrometheusRegistry().scrape();
  }
}
