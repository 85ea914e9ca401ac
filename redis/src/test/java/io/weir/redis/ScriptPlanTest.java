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

class ScriptPlanTest {
  private static final long T = 1_790_000_040_000L;

  private final RedisProcess redis = SharedRedis.empty();

  /** Several checks in one call are decided like one call after the other. */
  @Test
  void checksSentTogetherAreDecidedInOrder() {
    SplittableRandom random = new SplittableRandom(4);
    for (int run = 0; run < 150; run++) {
      Limit[] limits = limits(random);
      try (ScriptedBuckets together = new ScriptedBuckets(redis, limits)) {
        ScriptPlan apart = ScriptPlan.of("test", "apart", List.of(limits));
        byte[][] keys = apart.keys("key-" + run);
        redis.flush();
        long now = T + random.nextLong(100_000);
        try (var connection = redis.connect()) {
          for (int step = 0; step < 6; step++) {
            long cost = random.nextInt(3) == 0 ? random.nextLong(1, 8) : 1;
            int times = random.nextInt(1, 40);
            TakeReply takeReply = together.take(now, cost, times);
            for (int i = 0; i < times; i++) {
              ScriptMessage take = apart.take(cost, 1, now * 1000);
              TakeReply one = apart.outcome(cost, ScriptPlanStore.send(connection, keys, take));
              String which = Arrays.toString(limits) + ", run " + run + ", step " + step;
              assertThat(takeReply.decision(i)).as(which).isEqualTo(one.decision(0));
              assertThat(takeReply.marks(i).marks()).as(which).isEqualTo(one.marks(0).marks());
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
  void checksThatCountThoughRefusedAreSentOneByOne() {
    ScriptPlan scriptPlan =
        ScriptPlan.of("p", "n", List.of(Limit.slidingLog(3).perHour().countingRejected()));
    assertThat(scriptPlan.isPlain()).isFalse();
    assertThatThrownBy(() -> scriptPlan.take(1, 2, -1))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void theCommonestMessageIsMadeOnce() {
    ScriptPlan scriptPlan = ScriptPlan.of("p", "n", List.of(Limit.tokenBucket(3).perHour()));
    assertThat(scriptPlan.take(1, 1, -1)).isSameAs(scriptPlan.take(1, 1, -1));
    assertThat(scriptPlan.take(1, 1, -1).args()).hasNumberOfRows(1);
  }

  /** The server is in another year than this machine: it says so, and the message is sent again. */
  @Test
  void messageIsSentAgainToAServerOfAnotherDate() {
    try (ScriptedBuckets bucket = new ScriptedBuckets(redis, Limit.fixedWindow(3).perDay())) {
      ScriptMessage scriptMessage =
          bucket
              .scriptPlan()
              .take(1, 1, Instant.parse("2031-05-05T12:00:00Z").toEpochMilli() * 1000);
      Arrays.fill(scriptMessage.args()[1], 1, 8, (byte) 0); // by the server's time
      assertThat(bucket.scriptPlan().isMisdated(bucket.send(scriptMessage))).isTrue();
      assertThat(bucket.value()).isNull();

      long[] again = bucket.send(bucket.scriptPlan().take(1, 1, -1));
      assertThat(bucket.scriptPlan().isMisdated(again)).isFalse();
      assertThat(bucket.scriptPlan().outcome(1, again).decision(0).remaining()).isEqualTo(2);
    }
  }

  @Test
  void theCalendarIsThatOfTheServersLastReply() {
    Limit limit = Limit.fixedWindow(3).perMonth().zone(ZoneId.of("Asia/Kathmandu"));
    ScriptPlan scriptPlan = ScriptPlan.of("p", "n", List.of(limit));
    long future = Instant.parse("2040-02-15T12:00:00Z").toEpochMilli() * 1000;
    byte[] now = scriptPlan.take(1, 1, -1).args()[0];
    assertThat(scriptPlan.isMisdated(new long[] {-1, future})).isTrue();
    byte[] then = scriptPlan.take(1, 1, -1).args()[0];
    assertThat(then).isNotEqualTo(now).isEqualTo(scriptPlan.take(1, 1, future).args()[0]);
    assertThat(scriptPlan.isMisdated(new long[] {-1, Long.MAX_VALUE})).isTrue();
    assertThat(scriptPlan.take(1, 1, -1).args()[0]).as("a clock that is none").isNotEmpty();
  }

  @Test
  void aReceiptOfOtherLimitsGivesNothingBack() {
    try (ScriptedBuckets bucket = new ScriptedBuckets(redis, Limit.tokenBucket(3).perHour())) {
      ChargeMarks chargeMarks = bucket.take(T, 2, 1).marks(0);
      ScriptPlan other = ScriptPlan.of("test", "scripted", bucket.scriptPlan().limits());
      bucket.send(other.settle(chargeMarks, 2, 0, T * 1000));
      assertThat(bucket.peek(T, 1).remaining()).isEqualTo(1);
      bucket.send(bucket.scriptPlan().settle(chargeMarks, 2, 0, T * 1000));
      assertThat(bucket.peek(T, 1).remaining()).isEqualTo(3);
    }
  }
}
