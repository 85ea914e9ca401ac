package io.weir.rig;

/** One Redis for all tests of a JVM that only need a working one: started once, never disturbed. */
public final class SharedRedis {
  private SharedRedis() {}

  /**
   * The shared Redis, without keys. A test that does more than read and write must start its own.
   */
  public static RedisProcess empty() {
    Holder.REDIS.flush();
    return Holder.REDIS;
  }

  private static final class Holder {
    static final RedisProcess REDIS = RedisProcess.start();
  }
}
