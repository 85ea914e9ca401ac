package io.weir.redis;

import io.weir.Store;
import io.weir.redis.rig.SharedRedis;
import io.weir.tck.Harness;
import io.weir.tck.StoreSuite;

/** The scripts alone pass the suite. */
class ScriptsTest extends StoreSuite {
  @Override
  protected Store openStore() {
    throw new UnsupportedOperationException();
  }

  @Override
  protected Harness openHarness() {
    int port = SharedRedis.empty().port();
    return new RedisHarness(time -> new BareStore(port, time));
  }

  /** Every answer is a round trip. */
  @Override
  public int runs(int usual) {
    return Math.max(1, usual / 10);
  }
}
