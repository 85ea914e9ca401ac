package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Unused features are not loaded: a start and an idle server do not pay for them. */
class LazyLoadingTest {
  private static final Predicate<String> METRICS =
      Pattern.compile(" io\\.(micrometer|prometheus)\\.").asPredicate();
  private static final Predicate<String> TRACING =
      Pattern.compile(" io\\.opentelemetry\\.").asPredicate();

  @TempDir Path directory;

  @Test
  void metricsAreLoadedByTheFirstScrapeAndTracingNever() throws Exception {
    Path loaded = directory.resolve("loaded");
    String options = "-Xlog:class+load:file=" + loaded;
    try (ServeProcess serve = ServeProcess.ready(Map.of("JAVA_TOOL_OPTIONS", options))) {
      assertThat(serve.get(serve.gateway()).statusCode()).isEqualTo(200);
      assertThat(serve.check("1").statusCode()).isEqualTo(200);
      assertThat(Files.readAllLines(loaded))
          .anyMatch(line -> line.contains(" io.weir.server.Server "))
          .noneMatch(METRICS)
          .noneMatch(TRACING);

      assertThat(serve.get(serve.admin().resolve("/metrics")).statusCode()).isEqualTo(200);
      assertThat(Files.readAllLines(loaded)).anyMatch(METRICS).noneMatch(TRACING);
    }
  }
}
