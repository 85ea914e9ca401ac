package io.weir.bench.redis.node;

import io.weir.Limit;
import java.time.Duration;
import java.util.List;

/**
 * A token bucket, the same for every contender.
 *
 * @param permits how many refill in a period
 * @param period the period
 * @param burst how many it holds
 */
public record Allowance(long permits, Duration period, long burst) {
  /** For many keys: no request is refused, and no bucket is full again between two checks. */
  public static final Allowance MANY = new Allowance(1000, Duration.ofDays(1), 1000);

  /** For one key of all callers: the same. */
  public static final Allowance HOT = new Allowance(1000, Duration.ofSeconds(1), 2_000_000_000);

  /** A bucket without refill while a benchmark runs. */
  public static Allowance just(long burst) {
    return new Allowance(1, Duration.ofHours(1), burst);
  }

  /** As a limit of Weir. */
  public Limit limit() {
    return Limit.tokenBucket(permits).per(period).burst(burst);
  }

  /** The time until one permit refills. */
  public long microsPerPermit() {
    return period.toNanos() / 1000 / permits;
  }

  /** The time until an empty bucket is full. */
  public long microsPerBurst() {
    return microsPerPermit() * burst;
  }

  /** As words for another process. */
  public List<String> words() {
    return List.of("" + permits, "" + period.toMillis(), "" + burst);
  }

  static Allowance of(List<String> words) {
    return new Allowance(
        Long.parseLong(words.get(0)),
        Duration.ofMillis(Long.parseLong(words.get(1))),
        Long.parseLong(words.get(2)));
  }
}
