package io.weir.redis;

import io.weir.rig.RedisProgram;
import io.weir.rig.RedisReplicas;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A primary that Sentinels name. */
@Tag("slow")
class RedisSentinelTest extends RedisSuite {
  private static RedisReplicas group;

  @BeforeAll
  static void start() {
    group = RedisReplicas.start(RedisProgram.chosen(), 1);
  }

  @AfterAll
  static void stop() {
    group.close();
  }

  @Override
  String url() {
    group.primary().flush();
    return group.url();
  }

  @Override
  int oneRunOf() {
    return 20;
  }
}
