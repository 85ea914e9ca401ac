package io.weir.server.metrics;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.weir.StoreHealth;
import io.weir.decision.DecisionEngine;
import io.weir.server.ServerStatus;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Renders all metrics of this server, on a page that grows with the number of rules. See {@code
 * docs/reference/metrics.md}. Thread-safe.
 *
 * <p>The libraries behind it cost a tenth of the start time and of the memory of an idle server.
 * They are loaded by the first scrape, so a server without scrapes does not pay for them.
 */
public final class Scrape {
  private static final int USUAL_SIZE = 1 << 14;

  private final ServerMetrics serverMetrics;

  public Scrape(
      DecisionEngine decisionEngine, ServerStatus serverStatus, Supplier<StoreHealth> store) {
    this.serverMetrics = new ServerMetrics(decisionEngine, serverStatus, store);
  }

  /**
   * A page.
   *
   * @param type the content type
   * @param isZipped whether the body is gzip
   */
  public record Page(String type, boolean isZipped, byte[] body) {}

  /**
   * Renders the current values. Blocks for a while with thousands of rules, so it must not run on
   * an event loop. One page is rendered at a time, so that many scrapers do not multiply the
   * memory.
   *
   * @param accept the header {@code Accept}: OpenMetrics if preferred
   * @param zipped whether the body may be gzip
   */
  public synchronized Page page(@Nullable String accept, boolean zipped) {
    ExpositionFormatWriter writer = Formats.writer(accept == null ? "" : accept);
    ByteArrayOutputStream body = new ByteArrayOutputStream(USUAL_SIZE);
    try (OutputStream out = zipped ? new GZIPOutputStream(body, USUAL_SIZE) : body) {
      writer.write(out, snapshots());
    } catch (IOException e) {
      throw new UncheckedIOException(e); // writing to memory does not fail
    }
    return new Page(writer.getContentType(), zipped, body.toByteArray());
  }

  private MetricSnapshots snapshots() {
    List<MetricSnapshot> all = new ArrayList<>(serverMetrics.snapshots());
    JvmMetrics.snapshots().forEach(all::add);
    return new MetricSnapshots(all);
  }

  /** A holder that loads the formats at first use. */
  private static final class Formats {
    private static final ExpositionFormats ALL = ExpositionFormats.init();

    /** Chooses text if the binary format is preferred, because its library is left out. */
    static ExpositionFormatWriter writer(String accept) {
      ExpositionFormatWriter openMetrics = ALL.getOpenMetricsTextFormatWriter();
      return openMetrics.accepts(accept) ? openMetrics : ALL.getPrometheusTextFormatWriter();
    }
  }
}
