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
    return BY_PERIOD.getOrDefault(limit.period(), UNKNOWN);
  }
}
