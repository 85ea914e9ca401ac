package io.weir.bench.contender;

/** No limiter: the measurement contains only the construction of the key. */
final class KeyOnlyLimiter implements KeyedLimiter {
  @Override
  public boolean tryAcquire(String key) {
    return key.length() > 0;
  }
}
