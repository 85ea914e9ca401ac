package io.weir.tck;

import io.weir.tck.model.ReferenceLimiter;
import java.util.EnumSet;
import org.junit.jupiter.api.BeforeEach;

/** The suite also passes on the models when they behave like a remote store. */
class LazyReferenceStoreTest
    implements TestVectorTests, PeerTraps, ModelProperties, ReloadProperties {
  private Harness harness;

  @BeforeEach
  void open() {
    harness =
        Harness.inProcess(
            new ReferenceStore(ReferenceLimiter.Takeover.WHEN_WRITTEN),
            EnumSet.of(Harness.Ability.MANUAL_TIME));
  }

  @Override
  public Harness harness() {
    return harness;
  }

  @Override
  public int runs(int usual) {
    return Math.max(1, usual / 50);
  }
}
