package io.weir.redis;

import io.weir.Store;
import io.weir.TimeSource;
import java.util.concurrent.locks.LockSupport;

/**
 * A store in Redis whose time is the benchmark's: minutes of it pass as quickly as they can be
 * asked for. It lives in the store's package because that seam is nobody else's business.
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

  /** Looks through its leases, and waits until what is left of them is given back. */
  public void sweep() {
    store.leaseDesk().sweepAll();
    while (!store.leaseDesk().isQuiet()) {
      LockSupport.parkNanos(10_000);
    }
  }

  @Override
  public void close() {
    store.close();
  }

  /** Nothing happens by itself. */
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
