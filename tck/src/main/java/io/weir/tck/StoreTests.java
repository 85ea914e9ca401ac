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

  /** Whether the model for reloads holds when the store changes between {@code limits}. */
  default boolean reloadsLikeTheModel(MixedLimits limits) {
    return true;
  }

  /** Skips the test where the store is not able to do what it needs. */
  default void needs(Harness.Ability ability) {
    Assumptions.assumeTrue(harness().can(ability), () -> "the store has no " + ability);
  }

  /** Skips the test where there is no way to say at what time something is asked. */
  default void needsGivenTimes() {
    Assumptions.assumeTrue(
        harness().can(Harness.Ability.CALLER_TIME) || harness().can(Harness.Ability.MANUAL_TIME),
        "the store has no time but its own");
  }
}
