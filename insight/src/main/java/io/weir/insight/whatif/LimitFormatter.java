package io.weir.insight.whatif;

import io.weir.Limit;
import io.weir.rules.envoy.RateUnit;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Formats limits as they are written in rule files. */
public final class LimitFormatter {
  private static final int MAX_DECIMALS = 9; // the maximum that the form with tiers accepts

  private LimitFormatter() {}

  /** {@code 10 per second, burst 100}, with the algorithm before it unless it is the default. */
  public static String of(Limit limit) {
    String algorithm = limit instanceof Limit.TokenBucket ? "" : limit.algorithm() + " ";
    StringBuilder text = new StringBuilder(algorithm + rate(limit));
    parameters(limit).forEach(each -> text.append(", ").append(each.name + " " + each.value));
    return text.toString();
  }

  /** {@code { rate: 10 per second, burst: 100 }}. */
  public static String yaml(Limit limit) {
    StringBuilder text = new StringBuilder("{ ");
    if (!(limit instanceof Limit.TokenBucket)) {
      text.append("algorithm: " + limit.algorithm() + ", ");
    }
    text.append("rate: ").append(rate(limit));
    parameters(limit).forEach(each -> text.append(", ").append(each.name + ": " + each.value));
    return text.append(" }").toString();
  }

  /** {@code { unit: second, requests_per_unit: 10 }}, in the form of Envoy's service. */
  static String envoy(Limit limit) {
    StringBuilder text = new StringBuilder("{ ");
    if (!(limit instanceof Limit.FixedWindow)) {
      text.append("algorithm: " + limit.algorithm() + ", ");
    }
    String length =
        Arrays.stream(RateUnit.values())
            .filter(unit -> unit.period().equals(limit.period()))
            .map(unit -> "unit: " + unit.name().toLowerCase(Locale.ROOT))
            .findFirst()
            .orElseGet(() -> "window: " + words(limit.period()));
    text.append(length).append(", requests_per_unit: ").append(limit.permits());
    parameters(limit).forEach(each -> text.append(", ").append(each.name + ": " + each.value));
    return text.append(" }").toString();
  }

  private static String rate(Limit limit) {
    return limit.permits() + " per " + period(limit);
  }

  private static List<Parameter> parameters(Limit limit) {
    List<Parameter> all = new ArrayList<>();
    if (limit instanceof Limit.TokenBucket bucket && bucket.burst() != bucket.permits()) {
      all.add(new Parameter("burst", bucket.burst()));
    } else if (limit instanceof Limit.LeakyBucket bucket) {
      all.add(new Parameter("queue", bucket.queue()));
    } else if (limit instanceof Limit.SlidingEpochs epochs) {
      all.add(new Parameter("epochs", epochs.epochs()));
    } else if (limit instanceof Limit.FixedWindow window && !window.zone().equals(ZoneOffset.UTC)) {
      all.add(new Parameter("zone", window.zone()));
    }
    if (limit.countRejected()) {
      all.add(new Parameter("count_rejected", true));
    }
    return all;
  }

  private static String period(Limit limit) {
    if (limit instanceof Limit.FixedWindow window && window.span() instanceof Limit.Calendar span) {
      return span.name().toLowerCase(Locale.ROOT);
    }
    return words(limit.period());
  }

  /** In the form of tiers, where a bucket has a size and tokens per second. */
  static String tier(Limit limit) {
    if (!(limit instanceof Limit.TokenBucket bucket)) {
      throw new IllegalArgumentException("this form supports only token buckets: " + limit);
    }
    BigDecimal rate =
        BigDecimal.valueOf(bucket.permits())
            .scaleByPowerOfTen(3)
            .divide(
                BigDecimal.valueOf(bucket.period().toMillis()), MAX_DECIMALS, RoundingMode.FLOOR);
    return "bucket_capacity: %d\nrefill_rate: %s"
        .formatted(bucket.burst(), rate.stripTrailingZeros().toPlainString());
  }

  private static String words(Duration period) {
    long millis = period.toMillis();
    if (millis == 1000) {
      return "second";
    }
    if (millis == 60_000) {
      return "minute";
    }
    if (millis == 3_600_000) {
      return "hour";
    }
    return millis % 3_600_000 == 0
        ? millis / 3_600_000 + "h"
        : millis % 60_000 == 0
            ? millis / 60_000 + "m"
            : millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
  }

  /** Whether both have the same period. A month is as long as 30 days, but not the same period. */
  static boolean isSameTime(Limit one, Limit other) {
    return one instanceof Limit.FixedWindow window && other instanceof Limit.FixedWindow another
        ? window.span().equals(another.span())
        : one.period().equals(other.period());
  }

  /** A parameter of the algorithm. */
  private record Parameter(String name, Object value) {}
}
