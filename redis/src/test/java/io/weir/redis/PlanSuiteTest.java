package io.weir.redis;

import io.weir.ManualTime;
import io.weir.RateLimiter;
import io.weir.Store;
import io.weir.TimeSource;
import io.weir.redis.rig.SharedRedis;
import io.weir.tck.Harness;
import io.weir.tck.StoreSuite;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/** The scripts and {@link Plan} alone, without caches and connections, in virtual time. */
class PlanSuiteTest extends StoreSuite {
  @Override
  protected Store openStore() {
    return new PlanStore(SharedRedis.empty().connect());
  }

  @Override
  protected Harness openHarness() {
    return new EpochHarness(openStore());
  }

  // One connection that everybody waits for says nothing about crowds: these are for the store.

  @Override
  public Stream<DynamicTest> fewKeysGetExactlyWhatIsThere() {
    return Stream.empty();
  }

  @Override
  public Stream<DynamicTest> manyKeysGetExactlyWhatIsTheirs() {
    return Stream.empty();
  }

  @Override
  public Stream<DynamicTest> whatIsGivenBackIsNeitherLostNorDoubled() {
    return Stream.empty();
  }

  @Override
  public Stream<DynamicTest> chargesMadeTogetherAreCountedTogether() {
    return Stream.empty();
  }

  @Override
  public Stream<DynamicTest> nothingIsLostOrDoubledWhileLimitsChange() {
    return Stream.empty();
  }

  @Override
  public Stream<DynamicTest> noKeyGetsMoreThanTheBoundWhileTimeMoves() {
    return Stream.empty();
  }

  @Override
  public Stream<DynamicTest> aCrowdChangesNoAnswer() {
    return Stream.empty();
  }

  /** Time in microseconds, and between 1970 and 2100: others are moved into 1970 to 2030. */
  private static final class EpochHarness extends Harness {
    private static final long START = 1_790_000_000_000_000_000L;
    private static final long LATEST = Duration.ofDays(365L * 130).toNanos();
    private static final long SIXTY_YEARS = Duration.ofDays(365L * 60).toNanos();

    private final Store store;
    private final ManualTime time = TimeSource.manual();
    private int limiters;

    EpochHarness(Store store) {
      this.store = store;
      setNanos(START);
    }

    @Override
    public Set<Ability> abilities() {
      return Set.of(Ability.MANUAL_TIME);
    }

    @Override
    public RateLimiter.Builder builder() {
      return RateLimiter.builder().store(store).time(time).name("tck-" + limiters++);
    }

    @Override
    public long epochNanos() {
      return time.epochNanos();
    }

    @Override
    public void setNanos(long nanos) {
      boolean fits = nanos >= 1_000_000 && nanos < LATEST;
      long moved = fits ? nanos : 1_000_000 + Math.floorMod(nanos, SIXTY_YEARS);
      time.setNanos(moved - moved % 1000);
    }

    @Override
    public void advance(Duration duration) {
      setNanos(epochNanos() + duration.toNanos());
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
