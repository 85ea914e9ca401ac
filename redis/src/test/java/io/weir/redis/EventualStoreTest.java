package io.weir.redis;

import io.weir.Consistency;
import io.weir.Store;
import io.weir.rig.SharedRedis;
import io.weir.tck.Harness;
import io.weir.tck.MixedLimits;
import java.time.Duration;
import java.util.EnumSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** One node alone that decides by itself, wherever it may: it decides like one in memory. */
@Tag("slow")
class EventualStoreTest extends RedisSuite {
  @Override
  String url() {
    return SharedRedis.empty().url();
  }

  @Override
  int oneRunOf() {
    return 20;
  }

  @Override
  protected Harness openHarness() {
    RedisSettings settings = patient(url());
    return harness(
        time ->
            new AlternatingStore(
                EventualStoreTest::eventual,
                RedisStore.open(settings, Clock.given(time), new NoSweeps())),
        EnumSet.of(Harness.Ability.MANUAL_TIME, Harness.Ability.PROMPT_TAKEOVER));
  }

  /**
   * Only between limits that are eventual here: these are taken over in memory, at once. Between
   * such as are exact, see {@link RedisStoreTest}. From one to the other the consistency changes,
   * and the node does not know at first what was spent: see {@link EventualTest}.
   */
  @Override
  public boolean reloadsLikeTheModel(MixedLimits mixed) {
    return mixed.limits().stream().allMatch(Consistency.EVENTUAL::isFor);
  }

  /** Not a test here: keys are forgotten by the clock, so that it cannot be another for each. */
  @Override
  public Stream<DynamicTest> decisionsAtGivenTimesEqualTheModel() {
    return Stream.empty();
  }

  /**
   * Not a test here: from exact to eventual and back, grants that are not reported yet are on their
   * way.
   */
  @Override
  public Stream<DynamicTest> decisionsAcrossChangesOfLimitsEqualTheModel() {
    return Stream.empty();
  }

  /** Not a test here: its last limit cannot be eventual, so the consistency changes. */
  @Override
  public void aLargerLimitMayBeForgottenBetweenTwoChanges() {}

  @Override
  @TestFactory
  public Stream<DynamicTest> vectors() {
    return super.vectors().filter(each -> !each.getDisplayName().contains("users-clocks-differ"));
  }

  /** Makes all that can be eventual so. */
  private static Store.LimiterSpec eventual(Store.LimiterSpec limiterSpec) {
    boolean isFit = limiterSpec.limits().stream().allMatch(Consistency.EVENTUAL::isFor);
    return new Store.LimiterSpec(
        limiterSpec.name(),
        limiterSpec.limits(),
        limiterSpec.overflow(),
        limiterSpec.maxKeys(),
        limiterSpec.time(),
        limiterSpec.onFailure(),
        isFit ? Consistency.EVENTUAL : Consistency.EXACT);
  }

  /**
   * Real time, in which grants are sent but keys are not swept: the clock of these tests goes back
   * to where they were not idle.
   */
  private static final class NoSweeps implements Timer {
    private static final long SHORTEST_SWEEP = Duration.ofSeconds(1).toNanos();

    private final Timer system = Timer.system("eventual-test");

    @Override
    public long nanoTime() {
      return system.nanoTime();
    }

    @Override
    public void after(long delayNanos, Runnable task) {
      if (delayNanos < SHORTEST_SWEEP) {
        system.after(delayNanos, task);
      }
    }

    @Override
    public void close() {
      system.close();
    }
  }
}
