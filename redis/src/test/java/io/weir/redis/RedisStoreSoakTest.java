package io.weir.redis;

import org.junit.jupiter.api.Tag;

/** The same as {@link RedisStoreTest} many times over, for some minutes. */
@Tag("soak")
class RedisStoreSoakTest extends RedisStoreTest {
  @Override
  public int runs(int usual) {
    return usual;
  }
}
