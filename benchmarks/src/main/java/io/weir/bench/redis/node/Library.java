package io.weir.bench.redis.node;

/** A client library, connected to one Redis. */
interface Library extends AutoCloseable {
  /**
   * A limiter for {@code keys}.
   *
   * @param name distinguishes it from other limiters in the same Redis
   */
  RemoteLimiter<?> limiter(String name, Allowance allowance, String[] keys) throws Exception;

  @Override
  void close();
}
