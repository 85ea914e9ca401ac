package io.weir.client.pace;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows are found by what only windows do. Of 100 each; times in milliseconds. */
class WindowDetectorTest {
  private static final long SECOND = 1_000_000_000L;

  private final WindowDetector windowDetector = new WindowDetector();
  private long origin;

  @ParameterizedTest
  @ValueSource(longs = {0, -1, Long.MIN_VALUE, Long.MAX_VALUE - SECOND})
  void jumpsOfRemainingRevealTheWindowEnd(long at) {
    origin = at;
    windowDetector.expect(SECOND, at);
    leap(100, 400);
    assertThat(windowDetector.isKnown()).isTrue();
    leap(1250, 1500);
    assertThat(windowDetector.isKnown()).isTrue();
    assertThat(windowDetector.endAfter(moment(2000)) - origin)
        .isBetween(millis(2400), millis(2401));
    assertThat(windowDetector.slack()).isBetween(millis(150), millis(151));
  }

  /** It gives 30 in 0.3 s, at any time, and be it the same time of each second. */
  @Test
  void bucketsAreNotTakenForWindows() {
    windowDetector.expect(SECOND, origin);
    for (int i = 0; i < 100; i++) {
      windowDetector.gaveBack(30, 100, moment(1000 * i), moment(1000 * i + 300));
      assertThat(windowDetector.isKnown()).isFalse();
    }
  }

  /** A sliding log reports such a time too, after a burst, but not again in the next period. */
  @Test
  void reportsFromOnePeriodProveNothing() {
    windowDetector.expect(3 * SECOND, origin);
    windowDetector.givesBackAfter(3 * SECOND, moment(0), moment(10));
    windowDetector.givesBackAfter(2 * SECOND, moment(1100), moment(1110));
    assertThat(windowDetector.isKnown()).isFalse();
    windowDetector.givesBackAfter(3 * SECOND, moment(3200), moment(3210));
    assertThat(windowDetector.isKnown()).isTrue();
  }

  @Test
  void contradictionsRaiseTheNumberOfProofs() {
    windowDetector.expect(SECOND, origin);
    leap(100, 400);
    windowDetector.gaveBack(0, 100, moment(1600), moment(1900));
    assertThat(windowDetector.isKnown()).isFalse();
    leap(2100, 2400);
    assertThat(windowDetector.isKnown()).isFalse();
    leap(3100, 3400);
    assertThat(windowDetector.isKnown()).isTrue();
  }

  @Test
  void forgetsWindowThatIsNotObservedAgain() {
    windowDetector.expect(SECOND, origin);
    leap(100, 400);
    windowDetector.expect(SECOND, moment(10_300));
    assertThat(windowDetector.isKnown()).isTrue();
    windowDetector.expect(SECOND, moment(10_500));
    assertThat(windowDetector.isKnown()).isFalse();
  }

  @Test
  void anotherPeriodIsAnotherWindow() {
    windowDetector.expect(SECOND, origin);
    leap(100, 400);
    windowDetector.expect(2 * SECOND, moment(500));
    assertThat(windowDetector.isKnown()).isFalse();
  }

  private void leap(int after, int before) {
    windowDetector.gaveBack(50, 100, moment(after), moment(before));
  }

  private long moment(int millis) {
    return origin + millis(millis);
  }

  private static long millis(long millis) {
    return millis * 1_000_000;
  }
}
