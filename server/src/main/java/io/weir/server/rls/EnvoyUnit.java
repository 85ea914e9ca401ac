package io.weir.server.rls;

import io.weir.Limit;
import io.weir.rules.envoy.RateUnit;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Envoy's time units, in the order of their numbers. */
enum EnvoyUnit {
  UNKNOWN,
  SECOND,
  MINUTE,
  HOUR,
  DAY,
  MONTH,
  YEAR,
  WEEK;

  private static final EnvoyUnit[] BY_NUMBER = values();

  private static final Map<Duration, EnvoyUnit> BY_PERIOD =
      Stream.of(RateUnit.values())
          .collect(Collectors.toUnmodifiableMap(RateUnit::period, unit -> valueOf(unit.name())));

  /** The unit of a number in a request. */
  static EnvoyUnit numbered(long number) {
    return number < 0 || number >= BY_NUMBER.length ? UNKNOWN : BY_NUMBER[(int) number];
  }

  /** The unit that matches a limit's period. */
  static EnvoyUnit of(Limit limit) {
    if (limit instanceof Limit.FixedWindow window) {
      return window.span() instanceof Limit.Length length
          ? lasting(length.period())
          : calendar((Limit.Calendar) window.span());
    }
    if (limit instanceof Limit.TokenBucket bucket) {
      return lasting(bucket.period());
    }
    if (limit instanceof Limit.LeakyBucket bucket) {
      return lasting(bucket.period());
    }
    if (limit instanceof Limit.SlidingLog log) {
      return lasting(log.period());
    }
    if (limit instanceof Limit.SlidingWindow window) {
      return lasting(window.period());
    }
    return lasting(((Limit.SlidingEpochs) limit).period());
  }

  private static EnvoyUnit lasting(Duration period) {
    return BY_PERIOD.getOrDefault(period, UNKNOWN);
  }

  private static EnvoyUnit calendar(Limit.Calendar span) {
    return switch (span) {
      case DAY -> DAY;
      case WEEK -> WEEK;
      case MONTH -> MONTH;
      case YEAR -> YEAR;
    };
  }
}
