package io.weir.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Limit;
import io.weir.LimitStatus;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What all algorithms have in common. */
class AlgorithmTest {
  static Stream<Arguments> limits() {
    return Stream.of(
        Arguments.of(Limit.tokenBucket(5).perSecond(), Gcra.class),
        Arguments.of(Limit.leakyBucket(5).perSecond(), Gcra.class),
        Arguments.of(Limit.fixedWindow(5).perSecond(), FixedWindow.class),
        Arguments.of(Limit.fixedWindow(5).perDay(), FixedWindow.class),
        Arguments.of(Limit.slidingWindow(5).perSecond(), SlidingWindow.class),
        Arguments.of(Limit.slidingEpochs(5).perSecond(), SlidingEpochs.class),
        Arguments.of(Limit.slidingLog(5).perSecond(), SlidingLog.class));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void eachLimitHasItsAlgorithm(Limit limit, Class<?> type) {
    Algorithm algorithm = Algorithm.of(limit, new Timeline(0));
    assertThat(algorithm).isExactlyInstanceOf(type).hasToString(limit.toString());
    assertThat(algorithm.limit()).isSameAs(limit);
    assertThat(algorithm.capacity()).isEqualTo(limit.capacity());
    assertThat(algorithm.countsRejected()).isFalse();
    assertThat(algorithm.isOneWord()).isEqualTo(algorithm.words() == 1);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void anUntouchedBucketIsFreshAtAnyTime(Limit limit) {
    for (long origin : new long[] {Long.MIN_VALUE, -1, 0, Long.MAX_VALUE}) {
      Algorithm algorithm = Algorithm.of(limit, new Timeline(origin));
      Bucket bucket = new Bucket(algorithm.words());
      for (long now : new long[] {algorithm.atMillis(origin), algorithm.at(0)}) {
        algorithm.mend(bucket, now);
        assertThat(algorithm.isFresh(bucket, now)).isTrue();
        assertThat(algorithm.remaining(bucket, now)).isEqualTo(algorithm.capacity());
        assertThat(algorithm.waitFor(bucket, now, algorithm.capacity())).isZero();
        assertThat(algorithm.delay(bucket, now)).isZero();
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void allTimeOverloadsAgree(Limit limit) {
    for (long millis : new long[] {-1, 0, 1_790_000_000_123L}) {
      Algorithm algorithm = Algorithm.of(limit, new Timeline(millis + 5));
      assertThat(algorithm.at(millis * 1_000_000)).isEqualTo(algorithm.atMillis(millis));
      assertThat(algorithm.later(algorithm.atMillis(millis), 7))
          .isEqualTo(algorithm.atMillis(millis + 7));
    }
  }

  @Test
  void aClockFarOffTheTimelineStandsStill() {
    Algorithm algorithm = Algorithm.of(Limit.tokenBucket(5).perSecond(), new Timeline(0));
    assertThat(algorithm.at(Long.MAX_VALUE)).isEqualTo(Timeline.LENGTH - 1);
    assertThat(algorithm.at(Long.MIN_VALUE)).isEqualTo(1);
  }

  @Test
  void ticksAreMillisecondsOrMicroseconds() {
    Algorithm milli = Algorithm.of(Limit.tokenBucket(5).perSecond(), new Timeline(0));
    Algorithm micro = Algorithm.of(Limit.tokenBucket(5000).perSecond().burst(2), new Timeline(0));
    assertThat(milli.nanos(3)).isEqualTo(3_000_000);
    assertThat(milli.ticks(3_999_999)).isEqualTo(3);
    assertThat(micro.nanos(3)).isEqualTo(3000);
    assertThat(micro.ticks(3999)).isEqualTo(3);
    assertThat(micro.atMillis(2) - micro.atMillis(0)).isEqualTo(2000);
    assertThat(micro.at(2_001_999) - micro.at(0)).isEqualTo(2001);
    assertThat(micro.at(-1) - micro.at(0)).isEqualTo(-1);
  }

  @Test
  void onlyOneWordIsTakenFromAsAWord() {
    Algorithm log = Algorithm.of(Limit.slidingLog(5).perSecond(), new Timeline(0));
    assertThatThrownBy(() -> log.take(0, 1, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("sliding-log 5 per 1s needs 3 words");
  }

  @Test
  void aBucketIsMovedFromKeyToKey() {
    long[] words = {1, 2, 3, 4};
    Bucket bucket = new Bucket(new Bucket.Heap.Growing());
    assertThat(bucket.moveTo(words, 2).word(1)).isEqualTo(4);
    bucket.word(0, 9);
    assertThat(words).containsExactly(1, 2, 9, 4);
    assertThat(bucket.moveTo(words, 0).word(0)).isEqualTo(1);
  }

  @Test
  void limitStatusHasAllThatAHeaderNeeds() {
    Algorithm algorithm =
        Algorithm.of(Limit.tokenBucket(10).per(Duration.ofSeconds(10)), new Timeline(0));
    long now = algorithm.atMillis(0);
    Bucket bucket = new Bucket(1);

    LimitStatus full = algorithm.status(bucket, now, 1, true);
    assertThat(full.growsAfter()).isEmpty();
    assertThat(full.resetAfter()).isZero();

    algorithm.take(bucket, now, now, 8);
    LimitStatus granted = algorithm.status(bucket, now, 8, true);
    assertThat(granted.allows()).isTrue();
    assertThat(granted.remaining()).isEqualTo(2);
    assertThat(granted.retryAfter()).contains(Duration.ZERO);
    assertThat(granted.growsAfter()).contains(Duration.ofSeconds(1));
    assertThat(granted.resetAfter()).isEqualTo(Duration.ofSeconds(8));

    LimitStatus refused = algorithm.status(bucket, now, 5, false);
    assertThat(refused.allows()).isFalse();
    assertThat(refused.retryAfter()).contains(Duration.ofSeconds(3));

    LimitStatus never = algorithm.status(bucket, now, 11, false);
    assertThat(never.neverFits()).isTrue();
    assertThat(never.remaining()).isEqualTo(2);
    assertThat(never.growsAfter()).contains(Duration.ofSeconds(1));
    assertThat(never.resetAfter()).isEqualTo(Duration.ofSeconds(8));

    assertThat(algorithm.status(bucket, now, 0, false).allows()).isTrue();
  }
}
