package io.weir.tck;

import io.weir.Store;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * The test suite that every store must pass.
 *
 * <pre>{@code
 * class MyStoreTest extends StoreSuite {
 *   @Override
 *   protected Store openStore() {
 *     return Store.open("my:store");
 *   }
 * }
 * }</pre>
 *
 * <p>An in-process store uses the clock of its blueprint, which the suite moves at will. A store
 * with its own clock also overrides {@link #openHarness}, with a {@link Harness} that declares its
 * {@link Harness.Ability abilities}; tests that need others are skipped. Every test gets an empty
 * store, and every limiter its own name.
 *
 * <p>The parts, from examples to random and parallel tests:
 *
 * <ul>
 *   <li>the vectors, and the basic behaviour of each operation;
 *   <li>known bugs of other limiters, and former bugs of our stores;
 *   <li>random runs against the reference models, and promises, bounds and evictions that need no
 *       model; a failing run reports its seed, and {@code -Dweir.tck.seed=42} replays it;
 *   <li>the audit: many threads, exact totals.
 * </ul>
 *
 * <p>For a soak test, extend the store's test once more, tag it {@code soak}, and override {@link
 * #runs}.
 */
public abstract class StoreSuite
    implements TestVectorTests,
        OperationTests,
        PeerTraps,
        RegressionTests,
        ModelProperties,
        ReloadProperties,
        DecisionProperties,
        BoundProperties,
        EvictionProperties,
        ConcurrencyTests {
  private @Nullable Harness harness;

  /** Opens an empty store. */
  protected abstract Store openStore();

  /** Opens an empty store with its clock. */
  protected Harness openHarness() {
    return Harness.inProcess(openStore());
  }

  @Override
  public final Harness harness() {
    return Objects.requireNonNull(harness, "harness");
  }

  @BeforeEach
  final void openBeforeEach() {
    harness = openHarness();
  }

  @AfterEach
  final void closeAfterEach() {
    harness().close();
  }
}
