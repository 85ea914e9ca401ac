package io.weir.redis;

import io.weir.TimeSource;
import java.util.function.LongSupplier;

/**
 * A store in a process whose clocks are false. It lives in the store's package because no
 * application has a monotonic clock of its own.
 */
public final class SkewedStore {
  private SkewedStore() {}

  /**
   * Opens it.
   *
   * @param wall the wall clock of the process
   * @param nanos its monotonic clock, by which leases end and data is believed to be whole
   */
  public static RedisStore open(String url, TimeSource wall, LongSupplier nanos) {
    return RedisStore.open(RedisSettings.parse(url), Clock.ofRedis(wall, nanos));
  }
}
