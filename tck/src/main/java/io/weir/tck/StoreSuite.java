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
 * <p>A store with a clock of its own overrides {@link #openHarness} too.
 */
public abstract class StoreSuite
    implements VectorTests,
        ModelProperties,
        PromiseProperties,
        BoundProperties,
        EvictionProperties,
        RegressionTests {
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
