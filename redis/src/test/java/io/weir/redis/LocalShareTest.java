package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Buckets;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.ManualTime;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.Store;
import io.weir.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Several nodes that cannot call Redis any more. */
class LocalShareTest {
  private final ManualTime time = TimeSource.manual();

  private Store.LimiterSpec blueprint(Limit... limits) {
    List<Limit> all = List.of(limits);
    return new Store.LimiterSpec("local", all, all, 1000, time, OnFailure.LOCAL);
  }

  private List<LocalShare> nodes(int n, Limit... limits) {
    List<LocalShare> nodes = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      nodes.add(new LocalShare(blueprint(limits), () -> n));
    }
    return nodes;
  }

  static Stream<Arguments> limits() {
    List<Limit> limits =
        List.of(
            Limit.tokenBucket(10).perSecond(),
            Limit.tokenBucket(10).perSecond().burst(25),
            Limit.tokenBucket(7).perMinute().burst(100),
            Limit.tokenBucket(1).perMinute().burst(16),
            Limit.tokenBucket(1_000_000).perSecond().burst(1000), // counted in microseconds
            Limit.leakyBucket(10).perSecond().queue(30),
            Limit.fixedWindow(100).perMinute(),
            Limit.slidingWindow(100).perMinute(),
            Limit.slidingEpochs(100).perMinute(),
            Limit.slidingLog(100).perMinute(),
            Limit.slidingLog(16).perSecond());
    return limits.stream()
        .flatMap(
            limit ->
                Stream.of(1, 2, 3, 7, 10, 16)
                    .filter(n -> limit.capacity() >= n)
                    .map(n -> Arguments.of(limit, n)));
  }

  /** As if one bucket had decided: whatever the nodes grant together, one would have granted. */
  @ParameterizedTest(name = "{0} by {1}")
  @MethodSource("limits")
  void togetherTheyStayWithinTheLimit(Limit limit, int n) {
    Random random = new Random(n);
    List<LocalShare> nodes = nodes(n, limit);
    time.advance(Duration.ofDays(1)); // the beginning of a window, whichever
    long capacity = limit.capacity();
    long granted = 0;
    for (int i = 0; i < 20 * capacity && i < 20_000; i++) {
      granted += nodes.get(random.nextInt(n)).check("k", 1).allowed() ? 1 : 0;
    }
    for (LocalShare node : nodes) {
      while (node.check("k", 1).allowed()) {
        granted++;
      }
    }
    assertThat(granted).isLessThanOrEqualTo(capacity).isEqualTo(capacity / n * n);

    long second = 0;
    for (int i = 0; i < 5000; i++) {
      time.advance(Duration.ofMillis(1));
      second += nodes.get(random.nextInt(n)).check("k", 1).allowed() ? 1 : 0;
    }
    assertThat(granted + second).isLessThanOrEqualTo(maxIn(limit, 5));
  }

  /** The maximum that {@code limit} gives in some seconds after the beginning of a window. */
  private static long maxIn(Limit limit, long seconds) {
    if (limit instanceof Limit.TokenBucket that) {
      return that.burst() + seconds * 1000 * that.permits() / that.period().toMillis();
    }
    if (limit instanceof Limit.LeakyBucket that) {
      return that.capacity() + seconds * 1000 * that.permits() / that.period().toMillis();
    }
    return limit instanceof Limit.SlidingLog that && that.period().toMillis() == 1000
        ? 6 * that.permits()
        : limit.permits();
  }

  @ParameterizedTest(name = "{0} by {1}")
  @MethodSource("limits")
  void aFailureHandsOutNoFreshQuota(Limit limit, int n) {
    Buckets redis = Store.memory().open(blueprint(limit));
    List<LocalShare> nodes = nodes(n, limit);
    time.advance(Duration.ofDays(1));
    // Requests come through all nodes alike until Redis has given everything.
    int granted = 0;
    for (int i = 0; redis.check("k", 1).allowed(); i++) {
      nodes.get(i % n).granted("k", 1);
      granted++;
    }
    assertThat(granted).isEqualTo((int) limit.capacity());
    int more = 0;
    for (LocalShare node : nodes) {
      while (node.check("k", 1).allowed()) {
        more++;
      }
    }
    // Some may have got one less than others, where they do not all get as much.
    assertThat(more).isZero();
  }

  @ParameterizedTest(name = "{0} by {1}")
  @MethodSource("limits")
  void atWorstTheOthersStillHaveTheirShares(Limit limit, int n) {
    List<LocalShare> nodes = nodes(n, limit);
    time.advance(Duration.ofDays(1));
    nodes.get(0).granted("k", limit.capacity());
    assertThat(nodes.get(0).check("k", 1).allowed()).isFalse();
    long more = 0;
    for (LocalShare node : nodes) {
      while (node.check("k", 1).allowed()) {
        more++;
      }
    }
    assertThat(more).isEqualTo(limit.capacity() / n * (n - 1));
  }

  @Test
  void whatRedisGrantsBeyondTheShareIsNotOwedForLong() {
    LocalShare node = new LocalShare(blueprint(Limit.tokenBucket(60).perMinute()), () -> 2);
    for (int i = 0; i < 60; i++) {
      node.granted("k", 1);
    }
    assertThat(node.check("k", 1).allowed()).isFalse();
    time.advance(Duration.ofSeconds(2));
    assertThat(node.check("k", 1).allowed()).isTrue();
    assertThat(node.check("k", 1).allowed()).isFalse();
  }

  @Test
  void aLimitThatHoldsLessThanTheNodesGivesOneAtEach() {
    for (Limit limit :
        List.of(
            Limit.tokenBucket(1).perMinute(),
            Limit.leakyBucket(1).perMinute().queue(0),
            Limit.fixedWindow(1).perMinute(),
            Limit.slidingWindow(1).perMinute(),
            Limit.slidingEpochs(1).perMinute(),
            Limit.slidingLog(1).perMinute())) {
      LocalShare node = new LocalShare(blueprint(limit), () -> 4);
      assertThat(node.check("k", 1).allowed()).as("%s", limit).isTrue();
      assertThat(node.check("k", 1).allowed()).as("%s", limit).isFalse();
    }
  }

  @Test
  void aSlowBucketIsSlowerByTheNodes() {
    LocalShare node = new LocalShare(blueprint(Limit.tokenBucket(1).perMinute()), () -> 4);
    assertThat(node.check("k", 1).allowed()).isTrue();
    assertThat(node.check("k", 1).retryAfter()).contains(Duration.ofMinutes(4));
  }

  @Test
  void aLimitOfNothingGivesNothing() {
    LocalShare node = new LocalShare(blueprint(Limit.slidingLog(0).perMinute()), () -> 4);
    node.granted("k", 1);
    assertThat(node.check("k", 1).neverFits()).isTrue();
  }

  @Test
  void decisionReportsTheStatusWithinTheShare() {
    LocalShare node = new LocalShare(blueprint(Limit.tokenBucket(10).perSecond()), () -> 4);
    node.granted("k", 1);
    Decision decision = node.check("k", 1);
    assertThat(decision.allowed()).isTrue();
    assertThat(decision.origin()).isEqualTo(Origin.LOCAL);
    assertThat(decision.cost()).isEqualTo(1);
    assertThat(decision.limit()).isEqualTo(Limit.tokenBucket(10).perSecond());
    assertThat(decision.remaining()).isZero(); // 2 of 10 are left, and one costs 4
    assertThat(decision.deciding().growsAfter()).contains(Duration.ofMillis(200));
    assertThat(decision.resetAfter()).isEqualTo(Duration.ofMillis(800));

    Decision refused = node.check("k", 1);
    assertThat(refused.allowed()).isFalse();
    assertThat(refused.retryAfter()).contains(Duration.ofMillis(200));
    time.advance(Duration.ofMillis(199));
    assertThat(node.peek("k", 1).allowed()).isFalse();
    time.advance(Duration.ofMillis(1));
    assertThat(node.peek("k", 1).allowed()).isTrue();
    assertThat(node.check("fresh", 0).remaining()).isEqualTo(2);
    assertThat(node.check("fresh", 0).deciding().growsAfter()).isEmpty();
  }

  @Test
  void aCostAboveTheShareIsRefusedUntilRedisIsBackAndOneAboveTheLimitForEver() {
    LocalShare node = new LocalShare(blueprint(Limit.tokenBucket(10).perSecond()), () -> 4);
    assertThat(node.check("k", 3).retryAfter()).contains(Duration.ofSeconds(1));
    assertThat(node.check("k", 11).neverFits()).isTrue();
    assertThat(node.check("k", Long.MAX_VALUE).neverFits()).isTrue();
  }

  @Test
  void refusesWhileAnotherProcessMayHaveSpentTheShare() {
    Duration[] left = {Duration.ofSeconds(3)};
    LocalShare node =
        new LocalShare(
            blueprint(Limit.tokenBucket(10).perSecond()),
            () -> 2,
            () -> true,
            any -> left[0],
            () -> 0);
    node.granted("k", 4);
    assertThat(node.check("k", 1).allowed()).isFalse();
    assertThat(node.peek("k", 1).retryAfter()).contains(left[0]);
    assertThat(node.take("k", 1).decision().allowed()).isFalse();
    assertThat(node.reserve("k", 1, Duration.ofHours(1)).decision().allowed()).isFalse();
    left[0] = Duration.ZERO;
    assertThat(node.peek("k", 1).remaining()).isEqualTo(1);
    assertThat(node.check("k", 1).allowed()).isTrue();
  }

  @Test
  void severalLimitsAreSharedEach() {
    LocalShare node =
        new LocalShare(
            blueprint(Limit.tokenBucket(10).perSecond(), Limit.slidingLog(100).perMinute()),
            () -> 5);
    Decision decision = node.check("k", 2);
    assertThat(decision.standings()).extracting(LimitStatus::remaining).containsExactly(0L, 18L);
    assertThat(decision.standings())
        .extracting(LimitStatus::limit)
        .containsExactly(Limit.tokenBucket(10).perSecond(), Limit.slidingLog(100).perMinute());
  }

  @Test
  void moreNodesMakeTheShareSmallerAndForgetNothing() {
    for (Limit limit :
        List.of(
            Limit.tokenBucket(60).perHour(),
            Limit.leakyBucket(60).perHour().queue(59),
            Limit.fixedWindow(60).perHour(),
            Limit.slidingWindow(60).perHour(),
            Limit.slidingEpochs(60).perHour(),
            Limit.slidingLog(60).perHour())) {
      AtomicInteger nodes = new AtomicInteger(2);
      LocalShare node = new LocalShare(blueprint(limit), nodes::get);
      node.granted("k", 30);
      node.granted("half", 15);
      nodes.set(7);
      assertThat(node.check("k", 1).allowed()).as("%s", limit).isFalse();
      assertThat(node.peek("half", 1).remaining()).as("%s", limit).isEqualTo(30 / 7);
      assertThat(node.peek("other", 1).remaining()).as("%s", limit).isEqualTo(60 / 7);
      nodes.set(100);
      assertThat(node.check("other", 1).allowed()).as("%s", limit).isTrue();
      assertThat(node.check("other", 1).allowed()).as("%s", limit).isFalse();
      nodes.set(0);
      assertThat(node.peek("new", 1).remaining()).as("%s", limit).isEqualTo(60);
    }
  }

  @Test
  void otherLimitsTakeOverWhatWasSpent() {
    LocalShare node = new LocalShare(blueprint(Limit.slidingLog(60).perHour()), () -> 2);
    node.granted("k", 30);
    node.reconfigure(blueprint(Limit.slidingLog(80).perHour()));
    assertThat(node.peek("k", 1).remaining()).isEqualTo(10);
    assertThat(node.peek("new", 1).remaining()).isEqualTo(40);
  }

  @Test
  void whatWasTakenLocallyCanBeSettledAfterTheNodesHaveChanged() {
    AtomicInteger nodes = new AtomicInteger(2);
    LocalShare node = new LocalShare(blueprint(Limit.slidingLog(60).perHour()), nodes::get);
    Buckets.Receipt receipt = node.take("k", 20);
    assertThat(receipt.decision().remaining()).isEqualTo(10);
    nodes.set(3);
    node.settle(receipt, 5);
    assertThat(node.peek("k", 1).remaining()).isEqualTo((60 - 10) / 3);
    Buckets.Receipt more = node.take("k", 1);
    node.settle(more, 1000);
    assertThat(node.check("k", 1).allowed()).isFalse();
  }

  @Test
  void reservesRefundsAndResets() {
    LocalShare node = new LocalShare(blueprint(Limit.tokenBucket(60).perMinute()), () -> 2);
    node.granted("k", 60);
    Decision later = node.reserve("k", 1, Duration.ofSeconds(10)).decision();
    assertThat(later.allowed()).isTrue();
    assertThat(later.delay()).isEqualTo(Duration.ofSeconds(2));
    node.refund("k", 4);
    assertThat(node.peek("k", 1).remaining()).isEqualTo(3);
    node.reset("k");
    assertThat(node.peek("k", 1).remaining()).isEqualTo(30);
  }
}
