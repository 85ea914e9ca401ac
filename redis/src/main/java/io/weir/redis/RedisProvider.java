package io.weir.redis;

import io.weir.Store;
import java.util.List;

/** Creates {@link RedisStore}s from URLs. */
public final class RedisProvider implements Store.Provider {
  @Override
  public List<String> schemes() {
    return List.of("redis", "rediss", "redis-sentinel", "redis-cluster", "unix");
  }

  @Override
  public Store open(String url) {
    return RedisStore.open(url);
  }
}
