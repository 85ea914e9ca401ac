package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The wall clock steps, but the returned time does not go back. */
class SystemTimeTest {
  private static final long SECOND = 1_000_000_000;
  private static final long HOUR = 3600 * SECOND;

  private long monotonic = Long.MAX_VALUE - SECOND; // wraps in every test
  private long wall = 1_790_000_000 * SECOND;
  private final SystemTime time = new SystemTime(() -> monotonic, () -> wall);

  /** Both clocks run. */
  private void run(long nanos) {
    monotonic += nanos;
    wall += nanos;
  }

  /** Runs in steps that let the time look at the wall clock, and never sees it go back. */
  private void runInSteps(long nanos) {
    long before = time.epochNanos();
    for (long left = nanos; left > 0; left -= SECOND / 4) {
      run(Math.min(left, SECOND / 4));
      long now = time.epochNanos();
      assertThat(now).isGreaterThanOrEqualTo(before);
      before = now;
    }
  }

  @Test
  void followsTheMonotonicClockBetweenLooks() {
    long start = time.epochNanos();
    assertThat(start).isEqualTo(wall);
    monotonic += 999_999_999;
    assertThat(time.epochNanos()).isEqualTo(start + 999_999_999);
  }

  @Test
  void stepsForwardAtTheNextLook() {
    wall += HOUR;
    run(SECOND);
    assertThat(time.epochNanos()).as("not looked yet").isEqualTo(wall - HOUR);
    run(1);
    assertThat(time.epochNanos()).isEqualTo(wall);
    run(SECOND / 2);
    assertThat(time.epochNanos()).as("and full speed from there").isEqualTo(wall);
  }

  /** Time that is early grants what is not there yet; time that is late catches up. */
  @Test
  void threadDelayedBetweenClockReadsIsNotEarly() {
    long[] hold = {0};
    SystemTime held =
        new SystemTime(
            () -> monotonic,
            () -> {
              run(hold[0]);
              hold[0] = 0;
              return wall;
            });
    run(SECOND + 1);
    hold[0] = 2 * SECOND;
    assertThat(held.epochNanos()).isEqualTo(wall);
  }

  @Test
  void steadyTimeGoesOnWithoutSteps() {
    TimeSource steady = time.steady();
    wall += HOUR;
    run(5 * SECOND);
    assertThat(time.epochNanos()).isEqualTo(wall);
    assertThat(steady.epochNanos()).isEqualTo(wall - HOUR);
    assertThat(steady.steady()).isSameAs(steady);
  }

  @Test
  void aLittleDriftIsNoStep() {
    wall -= 1_000_000;
    long start = time.epochNanos();
    run(SECOND + 1);
    assertThat(time.epochNanos()).isEqualTo(start + SECOND + 1);
    run(SECOND);
    assertThat(time.epochNanos()).as("full speed").isEqualTo(start + 2 * SECOND + 1);
  }

  @Test
  void aClockSetBackByASecondIsMetAfterSixteen() {
    wall -= SECOND;
    runInSteps(15 * SECOND);
    assertThat(time.epochNanos()).isGreaterThan(wall);
    runInSteps(4 * SECOND);
    assertThat(time.epochNanos()).isBetween(wall - 1_000_000, wall + 1_000_000);
    runInSteps(5 * SECOND);
    assertThat(time.epochNanos()).isBetween(wall, wall + 1_000_000);
  }

  @Test
  void runsAtFifteenSixteenthsMeanwhile() {
    wall -= 60 * SECOND;
    run(SECOND + 1);
    long slowFrom = time.epochNanos();
    run(SECOND);
    assertThat(time.epochNanos() - slowFrom)
        .as("a millisecond at full speed, so that no thread is overtaken, then 15/16")
        .isEqualTo(SECOND - (SECOND - 1_000_000) / 16);
  }

  @Test
  void runsAtHalfSpeedWhenFarBehind() {
    wall -= HOUR + SECOND;
    run(SECOND + 1);
    long slowFrom = time.epochNanos();
    run(SECOND);
    assertThat(time.epochNanos() - slowFrom).isEqualTo(SECOND - (SECOND - 1_000_000) / 2);
  }

  @Test
  void followsAClockSetBackByAnHour() {
    wall -= HOUR;
    run(SECOND + 1);
    long slowFrom = time.epochNanos();
    run(SECOND);
    assertThat(time.epochNanos() - slowFrom).isEqualTo(SECOND - (SECOND - 1_000_000) / 16);
  }

  @ParameterizedTest(name = "asleep for {0} s")
  @ValueSource(longs = {2, 3600, 86_400 * 3650L})
  void aLongSleepIsFollowedAtOnce(long seconds) {
    run(seconds * SECOND);
    assertThat(time.epochNanos()).isEqualTo(wall);
  }

  @Test
  void theSystemsTimeIsTheWallClocks() {
    long before = nanos(Instant.now());
    long now = TimeSource.system().epochNanos();
    assertThat(TimeSource.system()).isSameAs(SystemTime.INSTANCE);
    assertThat(now).isBetween(before - 50_000_000, nanos(Instant.now()) + 50_000_000);
  }

  @Test
  void anotherWallClockIsFollowedInTheSameWay() {
    ManualTime other = TimeSource.manual().set(Instant.parse("2026-11-18T00:00:00Z"));
    TimeSource following = TimeSource.following(other);
    long start = following.epochNanos();
    assertThat(start).isBetween(other.epochNanos(), other.epochNanos() + 10 * SECOND);
    other.advance(Duration.ofHours(1));
    long deadline = System.nanoTime() + 10 * SECOND;
    while (following.epochNanos() < other.epochNanos() && System.nanoTime() - deadline < 0) {
      Thread.onSpinWait();
    }
    long stepped = following.epochNanos();
    assertThat(stepped).as("steps forward").isGreaterThanOrEqualTo(other.epochNanos());
    other.advance(Duration.ofHours(-2));
    assertThat(following.epochNanos()).as("and never back").isGreaterThanOrEqualTo(stepped);
  }

  @Test
  void theCoarseTimeFollowsTheSystems() {
    TimeSource coarse = TimeSource.coarse();
    assertThat(TimeSource.coarse()).isSameAs(coarse);
    long first = coarse.epochNanos();
    assertThat(first % 1_000_000).as("whole milliseconds").isZero();
    long deadline = System.nanoTime() + 10 * SECOND;
    while (coarse.epochNanos() == first && System.nanoTime() - deadline < 0) {
      Thread.onSpinWait();
    }
    long next = coarse.epochNanos();
    assertThat(next).isGreaterThan(first);
    assertThat(next % 1_000_000).as("whole milliseconds").isZero();
    assertThat(next).isLessThanOrEqualTo(TimeSource.system().epochNanos());
  }

  @Test
  void theCoarseTimesThreadKeepsNoProcessAlive() {
    TimeSource unused = TimeSource.coarse();
    assertThat(unused).isNotNull();
    assertThat(Thread.getAllStackTraces().keySet())
        .filteredOn(thread -> thread.getName().equals("weir-coarse-time"))
        .singleElement()
        .matches(Thread::isDaemon);
  }

  @Test
  void manualTimeStandsStillUntilItIsMoved() {
    ManualTime manual = TimeSource.manual();
    assertThat(manual.epochNanos()).isZero();
    assertThat(manual.advance(Duration.ofMillis(3)).epochNanos()).isEqualTo(3_000_000);
    assertThat(manual.advance(Duration.ofNanos(-5_000_000)).epochNanos()).isEqualTo(-2_000_000);
    assertThat(manual.set(Instant.ofEpochSecond(-1, 5)).epochNanos()).isEqualTo(5 - SECOND);
    assertThat(manual.setNanos(Long.MIN_VALUE).epochNanos()).isEqualTo(Long.MIN_VALUE);
    assertThat(manual.setNanos(7)).hasToString("ManualTime[7 ns]");
  }

  private static long nanos(Instant instant) {
    return instant.getEpochSecond() * SECOND + instant.getNano();
  }
}
