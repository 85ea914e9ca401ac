package io.weir.tck;

import org.junit.jupiter.api.Assumptions;

/** The common base of all parts of the suite: the store under test. */
interface StoreTests {
  /** The store under test, opened for this test. */
  Harness harness();

  /** The number of random runs where {@code usual} is the default; more in a soak test. */
  default int runs(int usual) {
    return usual;
  }

  /** Whether the model for reloads applies when the store changes between {@code limits}. */
  default boolean reloadsLikeTheModel(MixedLimits limits) {
    return true;
  }

  /** Skips the test if the store lacks an ability. */
  default void needs(Harness.Ability ability) {
    Assumptions.assumeTrue(harness().can(ability), () -> "the store has no " + ability);
  }

  /** Skips the test if there is no way to set the time of a request. */
  default void needsGivenTimes() {
    Assumptions.assumeTrue(
        harness().can(Harness.Ability.CALLER_TIME) || harness().can(Harness.Ability.MANUAL_TIME),
        "the store has only its own time");
  }
}
