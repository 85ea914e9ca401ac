package io.weir.redis;

import io.weir.rig.SharedRedis;
import io.weir.tck.Harness;
import java.time.Duration;
import org.junit.jupiter.api.Tag;

/**
 * Two nodes that know nothing of each other, called in turn: together they decide like one. Without
 * a denial cache, because with it a refund on one node takes effect late on the other.
 */
@Tag("slow")
class TwoNodesTest extends RedisSuite {
  @Override
  String url() {
    return SharedRedis.empty().url();
  }

  @Override
  int oneRunOf() {
    return 20;
  }

  @Override
  protected Harness openHarness() {
    RedisSettings settings = patient(url()).withRefusalMemory(Duration.ZERO);
    return harness(
        time ->
            new AlternatingStore(
                RedisStore.open(settings, Clock.given(time)),
                RedisStore.open(settings, Clock.given(time))));
  }
}
