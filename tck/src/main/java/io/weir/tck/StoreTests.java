package io.weir.tck;

import org.junit.jupiter.api.Assumptions;

/** What all parts of the suite have in common: the store under test. */
interface StoreTests {
  /** The store under test, opened for this test. */
  Harness harness();

  /** Skips the test where the store is not able to do what it needs. */
  default void needs(Harness.Ability ability) {
    Assumptions.assumeTrue(
        harness().abilities().contains(ability), () -> "the store has no " + ability);
  }
}
