package io.weir.tck;

import io.weir.Store;

/** The suite passes on the models themselves. */
class ReferenceStoreTest extends StoreSuite {
  @Override
  protected Store openStore() {
    return new ReferenceStore();
  }

  /** It agrees with itself: that is no news, and slow. */
  @Override
  public int runs(int usual) {
    return Math.max(1, usual / 20);
  }
}
