package io.weir.rules.envoy;

import io.weir.Limit;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The period of a limit of the Envoy form. Windows are aligned to the Unix epoch, so a week begins
 * on a Thursday, and a month is any 30 days.
 */
public enum RateUnit {
  /** 1 s. */
  SECOND(Duration.ofSeconds(1)),
  /** 60 s. */
  MINUTE(Duration.ofMinutes(1)),
  /** 3600 s. */
  HOUR(Duration.ofHours(1)),
  /** 24 h. */
  DAY(Duration.ofDays(1)),
  /** 7 days. */
  WEEK(Duration.ofDays(7)),
  /** 30 days. */
  MONTH(Duration.ofDays(30)),
  /** 365 days. */
  YEAR(Duration.ofDays(365));

  /** The maximum number of requests in this form: 2³² − 1. */
  public static final long MAX_REQUESTS = 0xFFFF_FFFFL;

  /** The names in files. */
  public static final List<String> NAMES =
      Arrays.stream(values()).map(unit -> unit.name().toLowerCase(Locale.ROOT)).toList();

  private final Duration period;

  RateUnit(Duration period) {
    this.period = period;
  }

  /** The unit with this name, in upper or lower case. */
  public static Optional<RateUnit> named(String name) {
    int place = NAMES.indexOf(name.toLowerCase(Locale.ROOT));
    return place < 0 ? Optional.empty() : Optional.of(values()[place]);
  }

  /** The unit with this length. */
  public static Optional<RateUnit> lasting(Duration period) {
    return Arrays.stream(values()).filter(unit -> unit.period.equals(period)).findFirst();
  }

  /** Its length. */
  public Duration period() {
    return period;
  }

  /** A limit of this many requests per window, capped at what a {@link Limit} can count. */
  Limit limit(long requests) {
    return Limit.fixedWindow(Math.min(requests, Limit.MAX_PERMITS)).per(period);
  }
}
