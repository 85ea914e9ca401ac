package io.weir.bench.contender;

/** The operation that every contender provides. */
@FunctionalInterface
public interface KeyedLimiter {
  /** Takes one permit of {@code key} if one is available. */
  boolean tryAcquire(String key);
}
