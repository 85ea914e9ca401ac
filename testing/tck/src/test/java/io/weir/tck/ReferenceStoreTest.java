package io.weir.tck;

import io.weir.Store;
import io.weir.tck.model.ReferenceLimiter;
import java.util.EnumSet;

/** The suite passes on the models themselves. */
class ReferenceStoreTest extends StoreSuite {
  @Override
  protected Store openStore() {
    return new ReferenceStore(ReferenceLimiter.Takeover.AT_ONCE);
  }

  @Override
  protected Harness openHarness() {
    return Harness.inProcess(
        openStore(), EnumSet.complementOf(EnumSet.of(Harness.Ability.KEY_CAP)));
  }

  /** It agrees with itself: that is no news, and slow. */
  @Override
  public int runs(int usual) {
    return Math.max(1, usual / 50);
  }
}
