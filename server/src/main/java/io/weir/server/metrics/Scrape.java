package io.weir.server.metrics;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.weir.StoreHealth;
import io.weir.arbiter.Arbiter;
import io.weir.server.Vitals;
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
 * All that can be scraped from this server: a page as long as there are rules. {@code
 * docs/metrics.md} has all of it.
 *
 * <p>The libraries behind it cost a tenth of the start and of the memory of an idle server. They
 * are loaded by the first scrape; a server that nobody scrapes does without.
 */
public final class Scrape {
  private static final int USUAL_SIZE = 1 << 14;

  private final Families families;

  public Scrape(Arbiter arbiter, Vitals vitals, Supplier<StoreHealth> store) {
    this.families = new Families(arbiter, vitals, store);
  }

  /**
   * A page.
   *
   * @param type what kind of text it is
   * @param isZipped whether the body is gzip
   */
  public record Page(String type, boolean isZipped, byte[] body) {}

  /**
   * What there is to tell now. Takes a while if there are thousands of rules: not for an event
   * loop. One at a time: a crowd of scrapers shall not multiply the memory that it takes.
   *
   * @param accept the header {@code Accept}: OpenMetrics for those who prefer it
   * @param zipped whether the body may be gzip
   */
  public synchronized Page page(@Nullable String accept, boolean zipped) {
    ExpositionFormatWriter writer = Formats.writer(accept == null ? "" : accept);
    ByteArrayOutputStream body = new ByteArrayOutputStream(USUAL_SIZE);
    try (OutputStream out = zipped ? new GZIPOutputStream(body, USUAL_SIZE) : body) {
      writer.write(out, snapshots());
    } catch (IOException e) {
      throw new UncheckedIOException(e); // memory does not fail so
    }
    return new Page(writer.getContentType(), zipped, body.toByteArray());
  }

  private MetricSnapshots snapshots() {
    List<MetricSnapshot> all = new ArrayList<>(families.snapshots());
    Machine.snapshots().forEach(all::add);
    return new MetricSnapshots(all);
  }

  /** Loaded when it is needed. */
  private static final class Formats {
    private static final ExpositionFormats ALL = ExpositionFormats.init();

    /** Text for those who would rather have the binary format, which is left out. */
    static ExpositionFormatWriter writer(String accept) {
      ExpositionFormatWriter openMetrics = ALL.getOpenMetricsTextFormatWriter();
      return openMetrics.accepts(accept) ? openMetrics : ALL.getPrometheusTextFormatWriter();
    }
  }
}
