package io.weir.client.quota;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.CoverageFuzzing;
import io.weir.rig.FuzzTarget;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Any limits and dates of a server give waits within bounds, and never an error. */
class QuotasFuzzTest implements FuzzTarget {
  private static final Instant NOW = Instant.parse("2026-09-21T14:14:20Z");
  private static final Duration LONGEST = Duration.ofDays(3650);

  @Test
  void readsTheSeeds() {
    CoverageFuzzing.seeds(this);
  }

  @Test
  @Tag("soak")
  @EnabledForJreRange(max = JRE.JAVA_17)
  void readsForMinutes() {
    CoverageFuzzing.minutes(this);
  }

  @Override
  public List<byte[]> seeds() {
    return Stream.of(
            "RateLimit:\"client\";r=42;t=1\nRateLimit-Policy:\"client\";q=100;w=10",
            "RateLimit:limit=100, remaining=42, reset=7\nRateLimit-Policy:100;w=60",
            "X-RateLimit-Limit:100\nX-RateLimit-Remaining:0\nX-RateLimit-Reset:1790000000000",
            "Retry-After:Wed, 21 Oct 2026 07:28:00 GMT\nDate:Wed, 21 Oct 2026 07:27:00 GMT",
            "Retry-After:120",
            "X-Rate-Limit-Remaining:1\nX-Rate-Limit-Reset:999999999999999999999")
        .map(text -> text.getBytes(ISO_8859_1))
        .toList();
  }

  @Override
  public List<String> words() {
    return List.of(
        "RateLimit:", "RateLimit-Policy:", "X-RateLimit-", "Retry-After:", ";r=", ";t=", "Date:");
  }

  @Override
  public void run(byte[] input) {
    Quotas quotas = Quotas.of(headers(new String(input, ISO_8859_1)), NOW);
    requireWithin(quotas.retryAfter());
    requireWithin(quotas.refusedFor());
    requireWithin(quotas.failedFor());
    for (Quota quota : quotas.all()) {
      requireWithin(quota.growsAfter());
    }
  }

  private static void requireWithin(Optional<Duration> wait) {
    assertThat(wait.orElse(Duration.ZERO)).isBetween(Duration.ZERO, LONGEST);
  }

  /** A header a line. */
  private static HttpHeaders headers(String lines) {
    Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    Arrays.stream(lines.split("\n", -1))
        .map(line -> line.split(":", 2))
        .filter(parts -> parts.length == 2 && !parts[0].isBlank())
        .forEach(parts -> headers.putIfAbsent(parts[0].strip(), List.of(parts[1])));
    return HttpHeaders.of(headers, (name, value) -> true);
  }
}
