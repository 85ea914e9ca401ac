package io.weir.tck;

import org.junit.jupiter.api.Assumptions;

/** What all parts of the suite have in common: the store under test. */
interface StoreTests {
  /** The store under test, opened for this test. */
  Harness harness();

  /** How many random runs to make where {@code usual} are; more in a soak. */
  default int runs(int usual) {
    return usual;
  }

  /** Skips the test where the store is not able to do what it needs. */
  default void needs(Harness.Ability ability) {
    Assumptions.assumeTrue(
        harness().abilities().contains(ability), () -> "the store has no " + ability);
  }
}
