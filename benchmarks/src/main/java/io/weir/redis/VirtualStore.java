package io.weir.redis;

import io.weir.Store;
import io.weir.TimeSource;
import java.util.concurrent.locks.LockSupport;

/**
 * A store in Redis with virtual time: minutes pass as quickly as checks can be made. It is in the
 * store's package because that constructor is package-private.
 */
public final class VirtualStore implements AutoCloseable {
  private final RedisStore store;

  /** Opens it. */
  public VirtualStore(String url, TimeSource time) {
    store = RedisStore.open(RedisSettings.parse(url), Clock.given(time), new Still());
  }

  /** The store. */
  public Store store() {
    return store;
  }

  /** How many calls it has made. */
  public long calls() {
    return store.status().calls();
  }

  /** Checks its leases, and waits until expired ones are returned. */
  public void sweep() {
    store.leaseManager().sweepAll();
    while (!store.leaseManager().isQuiet()) {
      LockSupport.parkNanos(10_000);
    }
  }

  @Override
  public void close() {
    store.close();
  }

  /** A timer that never fires. */
  private static final class Still implements Timer {
    @Override
    public long nanoTime() {
      return 0;
    }

    @Override
    public void after(long delayNanos, Runnable task) {}

    @Override
    public void close() {}
  }
}
