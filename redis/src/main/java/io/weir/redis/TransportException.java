package io.weir.redis;

/** Carries a {@link RedisFailure} through a future. */
final class TransportException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final transient RedisFailure redisFailure;

  TransportException(RedisFailure redisFailure) {
    super(redisFailure.message(), null, false, false);
    this.redisFailure = redisFailure;
  }

  RedisFailure redisFailure() {
    return redisFailure;
  }
}
