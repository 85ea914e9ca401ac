package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Await;
import java.util.function.BooleanSupplier;

/** What a strict store does while its only replica does not acknowledge. */
final class MissingReplica {
  private MissingReplica() {}

  /** Waits until the status of the store gives the reason. Fails if a charge is granted before. */
  static void awaitRefusals(RedisStore store, BooleanSupplier charge) {
    Await.holds(
        "the status names the replica as the reason",
        () -> {
          assertThat(charge.getAsBoolean()).isFalse();
          return store
              .status()
              .shards()
              .toString()
              .contains("0 of 1 replicas have acknowledged the charge");
        });
  }
}
