package io.weir.redis;

import io.weir.rig.RedisCluster;
import io.weir.rig.RedisProgram;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** A cluster of three shards. */
@Tag("slow")
class RedisClusterTest extends RedisSuite {
  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start(RedisProgram.chosen());
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Override
  String url() {
    cluster.flush();
    return cluster.url();
  }

  @Override
  int oneRunOf() {
    return 20;
  }
}
