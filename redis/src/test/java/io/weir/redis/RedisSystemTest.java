package io.weir.redis;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.rig.RedisProcess;
import io.weir.rig.RedisProgram;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The Redis that is installed, or the program that {@code WEIR_REDIS_SERVER} names. */
class RedisSystemTest extends RedisSuite {
  private static RedisProcess redis;

  @BeforeAll
  static void start() {
    Optional<RedisProgram> program = RedisProgram.named().or(RedisProgram::system);
    assumeTrue(program.isPresent(), "no redis-server is installed");
    redis = RedisProcess.start(program.get());
  }

  @AfterAll
  static void stop() {
    if (redis != null) {
      redis.close();
    }
  }

  @Override
  String url() {
    redis.flush();
    return redis.url();
  }

  @Override
  int oneRunOf() {
    return 20;
  }
}
