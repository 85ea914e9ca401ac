package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.RateLimiter;
import io.weir.Reservation;
import io.weir.TimeSource;
import io.weir.tck.AlgorithmBounds;
import io.weir.tck.Harness;
import io.weir.tck.MixedLimits;
import io.weir.tck.model.Fraction;
import io.weir.tck.model.ObservedDecision;
import io.weir.tck.model.ReferenceLimiter;
import io.weir.tck.model.ReferenceLimiter.Takeover;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Nodes with different rule files at the same time: each checks the same buckets by its own limits.
 * Every decision is the model's, and together they grant no more than the largest of the limits.
 */
@Tag("slow")
class RollingDeployTest {
  private static final int NODES = 3;
  private static final int STEPS = 150;
  private static final int SEEDS = 4;
  private static final long RESERVES_ONLY = 0;
  private static final long REFUNDS_ONLY = 1;
  private static final int SHOWN_STEPS = 60;
  private static final Duration HOUR = Duration.ofHours(1);

  private static final ManualTime TIME = TimeSource.manual();

  @RegisterExtension private static final NodeStores STORES = new NodeStores(NODES, TIME);

  private static int names;

  private static List<RateLimiter> limiters(MixedLimits mixed) {
    String name = "deploy-" + names++;
    List<RateLimiter> limiters = new ArrayList<>();
    for (Limit limit : mixed.limits()) {
      RedisStore store = STORES.get(limiters.size());
      limiters.add(RateLimiter.builder().store(store).name(name).limit(limit).build());
    }
    return limiters;
  }

  @TestFactory
  Stream<DynamicTest> oldAndNewLimitsShareTheirBuckets() {
    return MixedLimits.all().stream()
        .map(
            mixed ->
                DynamicTest.dynamicTest(
                    mixed.name(),
                    () -> {
                      for (long seed = 0; seed < SEEDS * Long.getLong("weir.tck.runs", 1); seed++) {
                        new Story(mixed, seed).run();
                      }
                    }));
  }

  /** One run: the operations on each node. */
  private static final class Story {
    private final MixedLimits mixed;
    private final long seed;
    private final SplittableRandom random;
    private final List<RateLimiter> nodes;
    private final List<ReferenceLimiter> models = new ArrayList<>();
    private final List<Runnable> ends = new ArrayList<>();
    private final List<String> steps = new ArrayList<>();
    private final List<Granted> grants = new ArrayList<>();
    private ObservedDecision last;

    /** What was granted for when, less what was given back of it; a refund is a negative grant. */
    private static final class Granted {
      final long nanos;
      long kept;

      Granted(long nanos, long kept) {
        this.nanos = nanos;
        this.kept = kept;
      }
    }

    Story(MixedLimits mixed, long seed) {
      TIME.setNanos(Harness.MIDNIGHT);
      this.mixed = mixed;
      this.seed = seed;
      random = new SplittableRandom(seed);
      nodes = limiters(mixed);
      ReferenceLimiter first =
          new ReferenceLimiter(mixed.limits().subList(0, 1), Takeover.WHEN_WRITTEN);
      mixed.limits().forEach(limit -> models.add(first.beside(List.of(limit))));
      last = first.peek("key", 1, now());
    }

    void run() {
      for (int i = 0; i < STEPS; i++) {
        move();
        step(random.nextInt(nodes.size()));
      }
      verify();
    }

    /*
     * A refund of what was charged for now lets permits be granted at the moment for which others
     * are reserved: the bound holds for stories with either. A queue has turns, not an amount.
     */
    private boolean mayRefund() {
      return seed % SEEDS != RESERVES_ONLY;
    }

    private boolean mayReserve() {
      return seed % SEEDS != REFUNDS_ONLY;
    }

    private void verify() {
      boolean isQueue = mixed.largest() instanceof Limit.LeakyBucket;
      if (mayRefund() && (mayReserve() || isQueue)) {
        return;
      }
      mixed.verify(
          grants.stream()
              .filter(grant -> grant.kept != 0)
              .map(grant -> new AlgorithmBounds.Grant(grant.nanos, grant.kept, grant.nanos))
              .sorted(Comparator.comparingLong(AlgorithmBounds.Grant::nanos))
              .toList());
    }

    private Granted granted(long cost, ObservedDecision observedDecision) {
      Granted grant = new Granted(TIME.epochNanos() + observedDecision.delay().toNanos(), cost);
      grants.add(grant);
      return grant;
    }

    private static Fraction now() {
      return ReferenceLimiter.nanos(TIME.epochNanos());
    }

    /** Often not at all, or to the time that the last decision reported as worth waiting for. */
    private void move() {
      long period = mixed.period().toNanos() / 1000;
      long micros = 0;
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> micros = random.nextLong(period / 20);
        case 3 -> micros = random.nextLong(period);
        case 4, 5 ->
            micros =
                last.retryAfter().orElse(Duration.ZERO).toNanos() / 1000
                    - 1000L * random.nextInt(2);
        case 6 -> micros = random.nextInt(20) == 0 ? 3 * period : 0;
        default -> {}
      }
      TIME.advance(Duration.ofNanos(1000 * Math.max(0, Math.min(micros, 5 * period))));
    }

    private void step(int which) {
      RateLimiter node = nodes.get(which);
      ReferenceLimiter model = models.get(which);
      long capacity = mixed.limits().get(random.nextInt(nodes.size())).capacity();
      long cost = random.nextInt(3) == 0 ? random.nextLong(1, capacity + 1) : 1;
      switch (random.nextInt(16)) {
        case 0, 1 -> {
          note("peek " + cost, which);
          agree(ObservedDecision.of(node.peek("key", cost)), model.peek("key", cost, now()));
        }
        case 2 -> {
          if (random.nextInt(3) == 0 && mayRefund()) {
            note("refund " + cost, which);
            grants.add(new Granted(TIME.epochNanos(), -cost));
            node.refund("key", cost);
            model.refund("key", cost, now());
          }
        }
        case 3, 4 -> {
          Duration maxWait = random.nextBoolean() ? Duration.ZERO : HOUR;
          if (mayReserve()) {
            reserve(which, cost, maxWait);
          }
        }
        case 5 -> {
          if (!ends.isEmpty()) {
            ends.remove(random.nextInt(ends.size())).run();
          }
        }
        default -> {
          note("check " + cost, which);
          ObservedDecision observedDecision = ObservedDecision.of(node.check("key", cost));
          agree(observedDecision, model.check("key", cost, now()));
          if (observedDecision.allowed()) {
            granted(cost, observedDecision);
          }
        }
      }
    }

    /** A charge that is corrected later: cancelled, made smaller, or beyond what is there. */
    private void reserve(int which, long cost, Duration maxWait) {
      note("reserve " + cost + " within " + maxWait, which);
      Reservation reservation = nodes.get(which).reserve("key", cost, maxWait);
      ReferenceLimiter.Receipt receipt = models.get(which).reserve("key", cost, maxWait, now());
      agree(ObservedDecision.of(reservation.decision()), receipt.observedDecision());
      long actual =
          switch (random.nextInt(4)) {
            case 0, 1 -> 0;
            case 2 -> random.nextLong(cost + 1);
            default -> cost + random.nextLong(1, 3 * mixed.largest().capacity());
          };
      if (reservation.granted()) {
        Granted grant = granted(cost, receipt.observedDecision());
        ends.add(
            () -> {
              note("settle " + cost + " to " + actual, which);
              reservation.settle(actual);
              grant.kept = Math.min(cost, actual);
              receipt.settle(actual, now());
            });
      }
    }

    private void note(String verb, int which) {
      steps.add(verb + " by " + mixed.limits().get(which) + " at " + TIME.epochNanos() / 1000);
    }

    private void agree(ObservedDecision actual, ObservedDecision expected) {
      assertThat(actual).as(this::text).isEqualTo(expected);
      last = expected;
    }

    private String text() {
      int from = Math.max(0, steps.size() - SHOWN_STEPS);
      return mixed
          + ", seed "
          + seed
          + ", after "
          + from
          + " more steps:\n"
          + String.join("\n", steps.subList(from, steps.size()));
    }
  }

  /** Both check as fast as they can. An audit of a deploy once found 190 grants of 40 this way. */
  @TestFactory
  Stream<DynamicTest> nodesTogetherGrantNoMoreThanTheLargestLimit() {
    return MixedLimits.fortyAndTen().stream()
        .map(mixed -> DynamicTest.dynamicTest(mixed.name(), () -> hammer(mixed)));
  }

  private static void hammer(MixedLimits mixed) {
    TIME.setNanos(Harness.MIDNIGHT);
    List<RateLimiter> nodes = limiters(mixed);
    List<AlgorithmBounds.Grant> grants = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      TIME.advance(mixed.period().dividedBy(200));
      for (RateLimiter node : nodes) {
        ObservedDecision observedDecision = ObservedDecision.of(node.check("key"));
        if (observedDecision.allowed()) {
          long now = TIME.epochNanos();
          grants.add(new AlgorithmBounds.Grant(now, 1, now + observedDecision.delay().toNanos()));
        }
      }
    }
    mixed.verify(grants);
    assertThat(grants).as("a smaller limit is no outage").hasSizeGreaterThanOrEqualTo(20);
  }

  /**
   * Redis's clock goes back, a node with another limit is refused, and no node has more than
   * before. Without the model: it could repeat an error of the scripts.
   */
  @TestFactory
  Stream<DynamicTest> aClockPutBackHandsOutNothing() {
    return MixedLimits.all().stream()
        .map(
            mixed ->
                DynamicTest.dynamicTest(
                    mixed.name(),
                    () -> {
                      for (long seed = 0; seed < SEEDS * Long.getLong("weir.tck.runs", 1); seed++) {
                        putClockBack(mixed, new SplittableRandom(seed));
                      }
                    }));
  }

  private static void putClockBack(MixedLimits mixed, SplittableRandom random) {
    TIME.setNanos(Harness.MIDNIGHT);
    List<RateLimiter> nodes = limiters(mixed);
    long period = mixed.period().toMillis();
    for (int i = 0; i < 6; i++) {
      long spread = random.nextInt(3) * period / 4;
      for (int k = 0; k < 40; k++) {
        TIME.advance(Duration.ofMillis(random.nextLong(1 + spread / 10)));
        long cost = 1 + random.nextLong(mixed.largest().capacity()) / (1 + random.nextInt(20));
        nodes.get(random.nextInt(nodes.size())).tryAcquire("key", cost);
      }
      int which = random.nextInt(nodes.size());
      RateLimiter taker = nodes.get(which);
      long before = taker.peek("key").remaining();
      TIME.setNanos(TIME.epochNanos() - 1_000_000 * random.nextLong(1 + 4 * period));
      for (RateLimiter node : nodes) {
        node.check("key", node.peek("key").remaining() + 1);
      }
      long after = 0;
      while (taker.tryAcquire("key")) {
        after++;
      }
      assertThat(after)
          .as("permits of %s, which had %d", mixed.limits().get(which), before)
          .isLessThanOrEqualTo(before);
    }
  }

  /** As the review found it: 30 more, and 19. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("spentInParts")
  void aRefusalAfterTheClockWasPutBackShortensNothing(
      String name, List<Limit> limits, List<Duration> moments, List<Long> costs) {
    TIME.setNanos(Harness.MIDNIGHT);
    List<RateLimiter> nodes = limiters(new MixedLimits(name, limits));
    for (int i = 0; i < costs.size(); i++) {
      TIME.setNanos(Harness.MIDNIGHT + moments.get(i).toNanos());
      assertThat(nodes.get(0).tryAcquire("key", costs.get(i))).isTrue();
    }
    TIME.setNanos(TIME.epochNanos() - Duration.ofSeconds(30).toNanos());
    assertThat(nodes.get(1).tryAcquire("key")).isFalse();
    assertThat(nodes.get(0).peek("key").remaining()).isZero();
    assertThat(nodes.get(0).tryAcquire("key")).isFalse();
  }

  static Stream<Arguments> spentInParts() {
    Duration period = Duration.ofSeconds(12);
    return Stream.of(
        Arguments.of(
            "10 in each of four epochs",
            List.of(
                Limit.slidingEpochs(40).per(period).epochs(4),
                Limit.slidingEpochs(10).per(period).epochs(4)),
            List.of(
                Duration.ofSeconds(0),
                Duration.ofSeconds(3),
                Duration.ofSeconds(6),
                Duration.ofSeconds(9)),
            List.of(10L, 10L, 10L, 10L)),
        Arguments.of(
            "20 and 21 across the edge of a window",
            List.of(Limit.slidingWindow(40).per(period), Limit.slidingWindow(10).per(period)),
            List.of(Duration.ofSeconds(11), Duration.ofSeconds(13)),
            List.of(20L, 21L)));
  }
}
