package io.weir.rig;

/** One Redis for all tests of a JVM that only need some Redis: started once, never broken. */
public final class SharedRedis {
  private SharedRedis() {}

  /** It, with no keys. Who does more to it than read and write starts one of their own. */
  public static RedisProcess empty() {
    Holder.REDIS.flush();
    return Holder.REDIS;
  }

  private static final class Holder {
    static final RedisProcess REDIS = RedisProcess.start();
  }
}
