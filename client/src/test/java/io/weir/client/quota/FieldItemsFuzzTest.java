package io.weir.client.quota;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.client.quota.FieldItems.Item;
import io.weir.rig.CoverageFuzzing;
import io.weir.rig.FuzzTarget;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * Structured fields: lists are read as RFC 9651 defines. Writing and reading again gives the same
 * items. No header gives an implausible quota.
 */
class FieldItemsFuzzTest implements FuzzTarget {
  private static final Duration TEN_YEARS = Duration.ofDays(3650);

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
            "\"default\";r=50;t=30, \"daily\";r=0;t=3600",
            "\"burst\";q=100;w=60",
            "limit=100, remaining=42, reset=7",
            "100;w=60, 1000;w=3600;comment=\"a;b,c\"",
            "\"a\\\"b\\\\c\";r=1",
            "token/1:2*;r=-5;t=0.5;flag;on=?1;of=?0",
            "x;a=1;a=2, y",
            ", ,;;==\"",
            "42",
            "Wed, 21 Oct 2015 07:28:00 GMT",
            "")
        .map(field -> field.getBytes(UTF_8))
        .toList();
  }

  @Override
  public List<String> words() {
    return List.of(
        ";r=", ";t=", ";q=", ";w=", ", ", "\"", "\\\"", "limit=", "remaining=", "reset=");
  }

  @Override
  public void run(byte[] input) {
    String field = new String(input, UTF_8);
    List<Item> items = FieldItems.of(List.of(field));
    StrictFieldList.read(field)
        .filter(strict -> field.length() <= 4096)
        .ifPresent(
            strict ->
                assertThat(items)
                    .isEqualTo(
                        strict.stream().filter(item -> !item.name().isEmpty()).limit(16).toList()));

    String again =
        items.stream().map(FieldItemsFuzzTest::written).collect(Collectors.joining(", "));
    if (again.length() <= 4096) {
      assertThat(FieldItems.of(List.of(again))).isEqualTo(items);
    }
    Stream.of("RateLimit", "RateLimit-Policy", "RateLimit-Remaining", "X-RateLimit-Reset")
        .forEach(
            name -> requireReason(Map.of(name, List.of(field), "Retry-After", List.of(field))));
    requireReason(
        Map.of(
            "X-RateLimit-Remaining",
            List.of("0"),
            "X-RateLimit-Reset",
            List.of(field),
            "Date",
            List.of(field)));
    requireReason(Map.of("RateLimit", List.of(field), "RateLimit-Policy", List.of(field)));
  }

  private static String written(Item item) {
    StringBuilder out = new StringBuilder(quoted(item.name()));
    if (item.value() != null) {
      out.append('=').append(quoted(item.value()));
    }
    item.parameters()
        .forEach(
            (name, value) ->
                out.append(';').append(quoted(name)).append('=').append(quoted(value)));
    return out.toString();
  }

  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private static void requireReason(Map<String, List<String>> headers) {
    Quotas quotas =
        Quotas.of(
            HttpHeaders.of(headers, (name, value) -> true), Instant.ofEpochSecond(1_700_000_000));
    for (Quota quota : quotas.all()) {
      assertThat(quota.limit().orElse(0)).isNotNegative();
      assertThat(quota.remaining().orElse(0)).isNotNegative();
      requireReason(quota.window());
      requireReason(quota.growsAfter());
    }
    requireReason(quotas.retryAfter());
    requireReason(quotas.refusedFor());
    requireReason(quotas.failedFor());
  }

  private static void requireReason(Optional<Duration> span) {
    assertThat(span.orElse(Duration.ZERO)).isBetween(Duration.ZERO, TEN_YEARS);
  }
}
