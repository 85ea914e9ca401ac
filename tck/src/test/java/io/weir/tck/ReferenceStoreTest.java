package io.weir.tck;

import io.weir.Store;

/** The suite passes on the models themselves. */
class ReferenceStoreTest extends StoreSuite {
  @Override
  protected Store openStore() {
    return new ReferenceStore();
  }
}
