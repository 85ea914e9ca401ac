package io.weir.bench.contender;

import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.Bucket;

/** Bucket4j's lock-free bucket with its default clock, one for each key of a ConcurrentHashMap. */
final class Bucket4jLimiter extends PerKey<Bucket> {
  private final Bandwidth bandwidth;

  Bucket4jLimiter(CaseLimit caseLimit) {
    bandwidth = bandwidth(caseLimit);
  }

  static Bandwidth bandwidth(CaseLimit caseLimit) {
    return Bandwidth.builder()
        .capacity(caseLimit.burst())
        .refillGreedy(caseLimit.permits(), caseLimit.period())
        .build();
  }

  @Override
  Bucket create(String key) {
    return Bucket.builder().addLimit(bandwidth).build();
  }

  @Override
  public boolean tryAcquire(String key) {
    return limiterOf(key).tryConsume(1);
  }
}
