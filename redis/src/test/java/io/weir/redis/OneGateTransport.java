package io.weir.redis;

/** A transport for tests: every key has the same breaker, and nothing has to be closed. */
abstract class OneGateTransport implements RedisTransport {
  private final CircuitBreaker circuitBreaker;

  OneGateTransport(CircuitBreaker circuitBreaker) {
    this.circuitBreaker = circuitBreaker;
  }

  @Override
  public CircuitBreaker breaker(byte[] key) {
    return circuitBreaker;
  }

  @Override
  public void suspect(byte[] key) {}

  @Override
  public void close() {}
}
