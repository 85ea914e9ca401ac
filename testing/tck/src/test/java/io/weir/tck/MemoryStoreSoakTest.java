package io.weir.tck;

import org.junit.jupiter.api.Tag;

/** The same as {@link MemoryStoreTest} many times over, for some minutes. */
@Tag("soak")
class MemoryStoreSoakTest extends MemoryStoreTest {
  @Override
  public int runs(int usual) {
    return 10 * usual;
  }
}
