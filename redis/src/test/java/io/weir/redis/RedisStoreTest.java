package io.weir.redis;

import io.weir.rig.SharedRedis;

/** The oldest Redis that we support, on its own. */
class RedisStoreTest extends RedisSuite {
  @Override
  String url() {
    return SharedRedis.empty().url();
  }

  @Override
  int oneRunOf() {
    return 4;
  }
}
