package io.weir.redis;

import io.weir.Store;
import io.weir.TimeSource;
import io.weir.tck.Harness;
import io.weir.tck.StoreSuite;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Function;

/** What a store in Redis must pass, by a clock of the test's. */
abstract class RedisSuite extends StoreSuite {
  /** So long that no test fails because the machine is busy. */
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private static final int OLDEST_JAVA = 17;

  /** Where an empty Redis is. */
  abstract String url();

  /** Of how many random runs one is made; each decision is a round trip. */
  abstract int oneRunOf();

  /** So patient that whatever fails has failed for another reason than a slow machine. */
  static RedisSettings patient(String url) {
    return RedisSettings.parse(url).withTimeout(TIMEOUT).withConnectTimeout(TIMEOUT);
  }

  @Override
  protected Store openStore() {
    throw new UnsupportedOperationException("see openHarness");
  }

  static Harness harness(Function<TimeSource, Store> open) {
    return harness(open, EnumSet.of(Harness.Ability.MANUAL_TIME));
  }

  /** Redis's clock counts microseconds. */
  static Harness harness(Function<TimeSource, Store> open, Set<Harness.Ability> abilities) {
    return Harness.remote(open, abilities, Duration.ofNanos(1000));
  }

  @Override
  protected Harness openHarness() {
    RedisSettings settings = patient(url());
    return harness(time -> RedisStore.open(settings, Clock.given(time)));
  }

  /** All of them on the oldest Java, a few on others. */
  @Override
  public int runs(int usual) {
    int fewer = Runtime.version().feature() == OLDEST_JAVA ? 1 : 5;
    return Math.max(1, usual / (oneRunOf() * fewer));
  }
}
