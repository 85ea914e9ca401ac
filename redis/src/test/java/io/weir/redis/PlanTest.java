package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Limit;
import io.weir.rig.RedisProcess;
import io.weir.rig.SharedRedis;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PlanTest {
  private static final long T = 1_790_000_040_000L;

  private final RedisProcess redis = SharedRedis.empty();

  /** Several checks in one call are decided like one call after the other. */
  @Test
  void checksAskedTogetherAreDecidedInOrder() {
    SplittableRandom random = new SplittableRandom(4);
    for (int run = 0; run < 150; run++) {
      Limit[] limits = limits(random);
      try (Scripted together = new Scripted(redis, limits)) {
        Plan apart = Plan.of("test", "apart", List.of(limits));
        byte[][] keys = apart.keys("key-" + run);
        redis.flush();
        long now = T + random.nextLong(100_000);
        try (var connection = redis.connect()) {
          for (int step = 0; step < 6; step++) {
            long cost = random.nextInt(3) == 0 ? random.nextLong(1, 8) : 1;
            int times = random.nextInt(1, 40);
            Outcome outcome = together.take(now, cost, times);
            for (int i = 0; i < times; i++) {
              Message take = apart.take(cost, 1, now * 1000);
              Outcome one = apart.outcome(cost, PlanStore.send(connection, keys, take));
              String which = Arrays.toString(limits) + ", run " + run + ", step " + step;
              assertThat(outcome.decision(i)).as(which).isEqualTo(one.decision(0));
              assertThat(outcome.marks(i).marks()).as(which).isEqualTo(one.marks(0).marks());
            }
            now += random.nextLong(2000);
          }
        }
      }
    }
  }

  private static Limit[] limits(SplittableRandom random) {
    List<Limit> limits = new ArrayList<>();
    for (int i = random.nextInt(1, 3); i > 0; i--) {
      long permits = random.nextLong(1, 60);
      Duration period = Duration.ofMillis(random.nextLong(1, 300) * 10);
      Limit limit =
          switch (random.nextInt(7)) {
            case 0, 1 -> Limit.tokenBucket(permits).per(period).burst(random.nextLong(10, 60));
            case 2 -> Limit.leakyBucket(permits).per(period).queue(random.nextLong(10, 60));
            case 3 -> Limit.fixedWindow(permits).per(period);
            case 4 -> Limit.slidingWindow(permits).per(period);
            case 5 -> Limit.slidingEpochs(permits).per(period);
            default -> Limit.slidingLog(permits).per(period);
          };
      if (limits.stream().noneMatch(limit::sharesBucketsWith)) {
        limits.add(limit);
      }
    }
    return limits.toArray(Limit[]::new);
  }

  @Test
  void checksThatCountThoughRefusedAreAskedOneByOne() {
    Plan plan = Plan.of("p", "n", List.of(Limit.slidingLog(3).perHour().countingRejected()));
    assertThat(plan.isPlain()).isFalse();
    assertThatThrownBy(() -> plan.take(1, 2, -1)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theCommonestMessageIsMadeOnce() {
    Plan plan = Plan.of("p", "n", List.of(Limit.tokenBucket(3).perHour()));
    assertThat(plan.take(1, 1, -1)).isSameAs(plan.take(1, 1, -1));
    assertThat(plan.take(1, 1, -1).args()).hasNumberOfRows(1);
  }

  /** The server is in another year than this machine: it says so, and is asked again. */
  @Test
  void aServerOfAnotherDateIsAskedAgain() {
    try (Scripted bucket = new Scripted(redis, Limit.fixedWindow(3).perDay())) {
      Message message =
          bucket.plan().take(1, 1, Instant.parse("2031-05-05T12:00:00Z").toEpochMilli() * 1000);
      Arrays.fill(message.args()[1], 1, 8, (byte) 0); // by the server's time
      assertThat(bucket.plan().isMisdated(bucket.send(message))).isTrue();
      assertThat(bucket.value()).isNull();

      long[] again = bucket.send(bucket.plan().take(1, 1, -1));
      assertThat(bucket.plan().isMisdated(again)).isFalse();
      assertThat(bucket.plan().outcome(1, again).decision(0).remaining()).isEqualTo(2);
    }
  }

  @Test
  void theCalendarIsThatOfTheServersLastReply() {
    Limit limit = Limit.fixedWindow(3).perMonth().zone(ZoneId.of("Asia/Kathmandu"));
    Plan plan = Plan.of("p", "n", List.of(limit));
    long future = Instant.parse("2040-02-15T12:00:00Z").toEpochMilli() * 1000;
    byte[] now = plan.take(1, 1, -1).args()[0];
    assertThat(plan.isMisdated(new long[] {-1, future})).isTrue();
    byte[] then = plan.take(1, 1, -1).args()[0];
    assertThat(then).isNotEqualTo(now).isEqualTo(plan.take(1, 1, future).args()[0]);
    assertThat(plan.isMisdated(new long[] {-1, Long.MAX_VALUE})).isTrue();
    assertThat(plan.take(1, 1, -1).args()[0]).as("a clock that is none").isNotEmpty();
  }

  @Test
  void aReceiptOfOtherLimitsGivesNothingBack() {
    try (Scripted bucket = new Scripted(redis, Limit.tokenBucket(3).perHour())) {
      Marks marks = bucket.take(T, 2, 1).marks(0);
      Plan other = Plan.of("test", "scripted", bucket.plan().limits());
      bucket.send(other.settle(marks, 2, 0, T * 1000));
      assertThat(bucket.peek(T, 1).remaining()).isEqualTo(1);
      bucket.send(bucket.plan().settle(marks, 2, 0, T * 1000));
      assertThat(bucket.peek(T, 1).remaining()).isEqualTo(3);
    }
  }
}
