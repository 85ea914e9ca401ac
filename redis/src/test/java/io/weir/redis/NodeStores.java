package io.weir.redis;

import io.weir.ManualTime;
import io.weir.rig.SharedRedis;
import io.weir.tck.Harness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One store for each node of a test class, on one Redis and by one clock. Without a denial cache,
 * by which a node would notice refunds of another late.
 */
final class NodeStores implements BeforeAllCallback, AfterAllCallback {
  private final int nodes;
  private final ManualTime time;
  private final List<RedisStore> stores = new ArrayList<>();

  NodeStores(int nodes, ManualTime time) {
    this.nodes = nodes;
    this.time = time;
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    time.setNanos(Harness.MIDNIGHT);
    RedisSettings settings =
        RedisSuite.patient(SharedRedis.empty().url()).withRefusalMemory(Duration.ZERO);
    for (int i = 0; i < nodes; i++) {
      stores.add(RedisStore.open(settings, Clock.given(time)));
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    stores.forEach(RedisStore::close);
    stores.clear();
  }

  RedisStore get(int node) {
    return stores.get(node);
  }

  List<RedisStore> all() {
    return stores;
  }
}
