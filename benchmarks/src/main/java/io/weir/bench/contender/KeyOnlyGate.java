package io.weir.bench.contender;

/** No limiter at all: what remains of a measurement is making the key. */
final class KeyOnlyGate implements Gate {
  @Override
  public boolean tryAcquire(String key) {
    return key.length() > 0;
  }
}
