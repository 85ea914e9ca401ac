package io.weir.tck;

import io.weir.Store;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * What every store must pass.
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
 * <p>A store in this process goes by the clock of its blueprint, which the suite moves at will. A
 * store with a clock of its own overrides {@link #openHarness} too, with a {@link Harness} that
 * says which {@link Harness.Ability abilities} it has; what needs others is skipped. Every test
 * gets an empty store, and every limiter a name of its own.
 *
 * <p>The parts, from the worked to the random and the parallel:
 *
 * <ul>
 *   <li>the vectors, and what each verb does in the small;
 *   <li>known traps of other limiters, and bugs that some store once had;
 *   <li>random runs against the reference models, and promises, bounds and evictions that need no
 *       model; a run that fails names its seed, and {@code -Dweir.tck.seed=42} replays it;
 *   <li>the audit: many threads, exact totals.
 * </ul>
 *
 * <p>For a soak, extend the store's test once more, tag it {@code soak}, and override {@link
 * #runs}.
 */
public abstract class StoreSuite
    implements VectorTests,
        VerbTests,
        PeerTraps,
        RegressionTests,
        ModelProperties,
        ReloadProperties,
        PromiseProperties,
        BoundProperties,
        EvictionProperties,
        Audit {
  private @Nullable Harness harness;

  /** An empty store. */
  protected abstract Store openStore();

  /** An empty store, and the clock that it goes by. */
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
