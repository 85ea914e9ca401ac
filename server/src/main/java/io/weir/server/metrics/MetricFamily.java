package io.weir.server.metrics;

import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot.GaugeDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Collects the samples of one metric name; labels are names and values in turn. */
final class MetricFamily<T> {
  private final MetricMetadata head;
  private final Form<T> form;
  private final List<T> samples = new ArrayList<>();

  private MetricFamily(String name, String help, Form<T> form) {
    this.head = new MetricMetadata(name, help);
    this.form = form;
  }

  /** A family of counters; {@code _total} is appended to the name. */
  static MetricFamily<CounterDataPointSnapshot> counter(String name, String help) {
    return new MetricFamily<>(name, help, Form.COUNTER);
  }

  /** A family of gauges. */
  static MetricFamily<GaugeDataPointSnapshot> gauge(String name, String help) {
    return new MetricFamily<>(name, help, Form.GAUGE);
  }

  MetricFamily<T> add(double value, String... labels) {
    samples.add(form.point().of(value, labels.length == 0 ? Labels.EMPTY : Labels.of(labels)));
    return this;
  }

  MetricSnapshot snapshot() {
    return form.whole().of(head, samples);
  }

  /** How samples of one kind are built. */
  private record Form<T>(Point<T> point, Whole<T> whole) {
    static final Form<CounterDataPointSnapshot> COUNTER =
        new Form<>(
            (value, labels) -> new CounterDataPointSnapshot(value, labels, null, 0),
            CounterSnapshot::new);
    static final Form<GaugeDataPointSnapshot> GAUGE =
        new Form<>(
            (value, labels) -> new GaugeDataPointSnapshot(value, labels, null), GaugeSnapshot::new);
  }

  private interface Point<T> {
    T of(double value, Labels labels);
  }

  private interface Whole<T> {
    MetricSnapshot of(MetricMetadata head, Collection<T> samples);
  }
}
