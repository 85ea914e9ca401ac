package io.weir.tck;

import io.weir.Store;

/** The store in memory passes the suite. */
class MemoryStoreTest extends StoreSuite {
  @Override
  protected Store openStore() {
    return Store.memory();
  }
}
