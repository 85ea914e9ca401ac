package io.weir.bench.contender;

/** The one question that every contender is asked. */
@FunctionalInterface
public interface Gate {
  /** Takes one permit of {@code key} if it is there. */
  boolean tryAcquire(String key);
}
