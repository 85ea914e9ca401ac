package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.rig.RedisProcess;
import io.weir.rig.RespSocket;
import io.weir.rig.SharedRedis;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The Lua files alone, against a real Redis: what they decide, write, and leave alone. */
class ScriptsTest {
  static final long T = 1_790_000_040_000L; // a whole minute

  static final List<Limit> ONE_OF_EACH =
      List.of(
          Limit.tokenBucket(10).perSecond(),
          Limit.tokenBucket(3000).perSecond().burst(3),
          Limit.leakyBucket(10).perSecond().queue(9),
          Limit.fixedWindow(10).per(Duration.ofSeconds(1)),
          Limit.fixedWindow(10).perDay(),
          Limit.slidingWindow(10).perSecond(),
          Limit.slidingEpochs(10).perSecond(),
          Limit.slidingEpochs(10).perSecond().countingRejected(),
          Limit.slidingLog(10).perSecond(),
          Limit.slidingLog(10).perSecond().countingRejected());

  private final RedisProcess redis = SharedRedis.empty();

  /** A request: milliseconds after {@link #T}, cost, and what is left or how long to wait. */
  record Row(long at, long cost, String expected) {}

  record Table(Limit limit, Row... rows) {
    @Override
    public String toString() {
      return limit.toString();
    }
  }

  private static Row row(long at, long cost, String expected) {
    return new Row(at, cost, expected);
  }

  static Stream<Table> tables() {
    return Stream.of(
        new Table(
            Limit.tokenBucket(3).per(Duration.ofSeconds(10)),
            row(0, 1, "2 left"),
            row(0, 2, "0 left"),
            row(0, 1, "wait 3334"),
            row(3333, 1, "wait 1"),
            row(3334, 1, "0 left"),
            row(3334, 3, "wait 10000"),
            row(13_333, 3, "wait 1"),
            row(13_334, 3, "0 left"),
            row(13_334, 4, "never")),
        new Table(
            Limit.leakyBucket(2).perSecond().queue(2),
            row(0, 1, "2 left"),
            row(0, 1, "1 left, held 500"),
            row(0, 1, "0 left, held 1000"),
            row(0, 1, "wait 500"),
            row(499, 1, "wait 1"),
            row(500, 1, "0 left, held 1000")),
        new Table(
            Limit.fixedWindow(3).per(Duration.ofSeconds(10)),
            row(100, 2, "1 left"),
            row(9999, 2, "wait 1"),
            row(9999, 1, "0 left"),
            row(10_000, 3, "0 left"),
            row(10_001, 1, "wait 9999")),
        new Table(
            Limit.slidingWindow(10).per(Duration.ofSeconds(10)),
            row(0, 10, "0 left"),
            row(1, 1, "wait 10000"),
            row(10_001, 1, "0 left"),
            row(10_001, 1, "wait 1000"),
            row(11_001, 1, "0 left"),
            row(20_000, 1, "7 left")),
        new Table(
            Limit.slidingEpochs(4).per(Duration.ofSeconds(10)).epochs(5),
            row(0, 1, "3 left"),
            row(1999, 2, "1 left"),
            row(2000, 1, "0 left"),
            row(9999, 1, "wait 1"),
            row(10_000, 3, "0 left"),
            row(10_000, 1, "wait 2000")),
        new Table(
            Limit.slidingEpochs(2).per(Duration.ofSeconds(10)).epochs(5).countingRejected(),
            row(0, 2, "0 left"),
            row(4000, 1, "wait 6000"),
            row(9999, 1, "wait 4001"),
            row(10_000, 1, "wait 8000"),
            row(20_000, 1, "1 left")),
        new Table(
            Limit.slidingLog(3).per(Duration.ofSeconds(10)),
            row(0, 1, "2 left"),
            row(1000, 2, "0 left"),
            row(1000, 1, "wait 9000"),
            row(1000, 3, "wait 10000"),
            row(9999, 1, "wait 1"),
            row(10_000, 1, "0 left"),
            row(11_000, 2, "0 left")),
        new Table(
            Limit.slidingLog(3).per(Duration.ofSeconds(10)).countingRejected(),
            row(0, 3, "0 left"),
            row(5000, 1, "wait 5000"),
            row(5000, 2, "wait 10000"),
            row(10_000, 1, "wait 5000"),
            row(20_000, 3, "0 left")));
  }

  @ParameterizedTest
  @MethodSource("tables")
  void decides(Table table) {
    try (ScriptedBuckets bucket = new ScriptedBuckets(redis, table.limit())) {
      for (Row row : table.rows()) {
        Decision decision = bucket.take(T + row.at(), row.cost());
        String text =
            decision.allowed()
                ? decision.remaining() + " left"
                : decision.retryAfter().map(wait -> "wait " + wait.toMillis()).orElse("never");
        long held = decision.delay().toMillis();
        assertThat(text + (held > 0 ? ", held " + held : "")).as("%s", row).isEqualTo(row.expected);
      }
    }
  }

  static Stream<Limit> oneOfEach() {
    return ONE_OF_EACH.stream();
  }

  /** Fills the bucket at {@code T}. */
  static void fill(ScriptedBuckets bucket) {
    bucket.take(T, bucket.scriptPlan().limits().get(0).capacity());
  }

  @ParameterizedTest
  @MethodSource("oneOfEach")
  void aRefusalWritesNothingUnlessItCounts(Limit limit) {
    try (ScriptedBuckets bucket = new ScriptedBuckets(redis, limit)) {
      fill(bucket);
      byte[] before = bucket.value();
      long ttl = bucket.ttl();
      Map<String, Long> writes = writes();
      assertThat(bucket.take(T, 1).allowed()).isFalse();
      assertThat(bucket.take(T, 1_000_000).neverFits()).isTrue();
      bucket.peek(T, 1);
      bucket.reserve(T, 1, 0);

      boolean counts = !bucket.scriptPlan().isPlain();
      assertThat(writes().equals(writes)).isNotEqualTo(counts);
      if (!counts) {
        assertThat(bucket.value()).isEqualTo(before);
        assertThat(bucket.ttl()).isLessThanOrEqualTo(ttl);
      }
    }
  }

  static Stream<Limit> buckets() {
    return Stream.of(
        Limit.tokenBucket(10).perSecond(),
        Limit.tokenBucket(7).per(Duration.ofSeconds(3)).burst(5),
        Limit.tokenBucket(3000).perSecond().burst(3),
        Limit.tokenBucket(3).perDay());
  }

  /** There is a short way for it, and a long one, by which a reservation for now goes. */
  @ParameterizedTest
  @MethodSource("buckets")
  void strictlyAPermitIsTakenAlikeByBothWays(Limit limit) {
    Random random = new Random(11);
    try (ScriptedBuckets one =
            new ScriptedBuckets(
                redis, ScriptPlan.strict("test", "a", List.of(limit), 30_500, Duration.ZERO));
        ScriptedBuckets other =
            new ScriptedBuckets(
                redis, ScriptPlan.strict("test", "b", List.of(limit), 30_500, Duration.ZERO))) {
      long at = T * 1000;
      int granted = 0;
      for (int i = 0; i < 400; i++) {
        at += (long) (random.nextDouble() * (limit.memory().toNanos() / 1000 + 30_500) / 2);
        long cost = 1 + random.nextInt(3);
        long start = System.nanoTime();
        long[] taken = one.send(one.scriptPlan().take(cost, 1, at));
        long ttl = one.ttl();
        long[] reserved = other.send(other.scriptPlan().reserve(cost, 0, at));
        assertThat(taken).isEqualTo(Arrays.copyOf(reserved, taken.length));
        assertThat(one.value()).isEqualTo(other.value());
        if (taken[0] == 1) {
          long difference = other.ttl() - ttl;
          long elapsed = (System.nanoTime() - start) / 1_000_000 + 1;
          assertThat(difference).isBetween(-elapsed, elapsed);
        }
        granted += (int) taken[0];
      }
      assertThat(granted).isBetween(50, 399);
    }
  }

  /**
   * A lease counts from its end on; of a strict limiter later than that, by as much as all does.
   */
  @ParameterizedTest
  @MethodSource("leasable")
  void strictlyALeaseCountsLaterThanItsEnd(Limit limit, long stampIndex, long drift) {
    long at = T * 1000;
    long margin = 30_000;
    try (ScriptedBuckets one =
            new ScriptedBuckets(redis, ScriptPlan.leased("test", "a", List.of(limit)));
        ScriptedBuckets other =
            new ScriptedBuckets(
                redis,
                ScriptPlan.leasedStrictly("test", "b", List.of(limit), margin, Duration.ZERO))) {
      long[] leased = one.send(one.scriptPlan().lease(1, 1, 10, 2, 100_000, null, at));
      long[] strictly = other.send(other.scriptPlan().lease(1, 1, 10, 2, 100_000, null, at));
      assertThat(leased[0]).isEqualTo(11);
      assertThat(strictly[0]).isEqualTo(11);
      int stamp = (int) stampIndex;
      assertThat(strictly[stamp] - leased[stamp]).isEqualTo(margin / 1000 + drift);
      assertThat(other.ttl() - one.ttl()).isBetween(margin / 1000, 3 * margin / 1000 + 2 * drift);
    }
  }

  static Stream<Arguments> leasable() {
    return Stream.of(
        Arguments.of(Limit.slidingLog(100).perSecond(), 6, 1),
        Arguments.of(Limit.slidingLog(100).perMinute(), 6, 60),
        Arguments.of(Limit.tokenBucket(100).perSecond(), 2, 1));
  }

  /** Clocks of servers may differ by as much as charges count later: so much before an edge. */
  @Test
  void strictlyALeaseEndsBeforeAnEdge() {
    Limit limit = Limit.fixedWindow(100).perSecond();
    long beforeEdge = (T / 1000 + 1) * 1_000_000 - 60_000;
    try (ScriptedBuckets one =
            new ScriptedBuckets(redis, ScriptPlan.leased("test", "a", List.of(limit)));
        ScriptedBuckets other =
            new ScriptedBuckets(
                redis,
                ScriptPlan.leasedStrictly("test", "b", List.of(limit), 30_000, Duration.ZERO))) {
      long[] leased = one.send(one.scriptPlan().lease(1, 1, 10, 2, 100_000, null, beforeEdge));
      long[] strictly =
          other.send(other.scriptPlan().lease(1, 1, 10, 2, 100_000, null, beforeEdge));
      assertThat(leased[leased.length - 1]).isEqualTo(59_999);
      assertThat(strictly[strictly.length - 1]).isEqualTo(29_999);
    }
  }

  /** Charges that were forced and reservations for later: three times the limit in one log. */
  @Test
  void aLogThatHoldsThriceTheLimitForgetsNothing() {
    try (ScriptedBuckets bucket =
        new ScriptedBuckets(redis, Limit.slidingLog(30_000).perMinute())) {
      ChargeMarks chargeMarks = bucket.take(T, 30_000, 1).marks(0);
      bucket.send(bucket.scriptPlan().settle(chargeMarks, 30_000, 58_000, T * 1000));
      bucket.send(bucket.scriptPlan().settle(chargeMarks, 30_000, 32_000, (T + 20_000) * 1000));
      assertThat(bucket.reserve(T + 30_000, 29_000, 60_000).granted()).isEqualTo(1);
      assertThat(bucket.take(T + 30_001, 6_000).allowed()).isFalse();
      assertThat(bucket.peek(T + 81_000, 1).remaining()).isEqualTo(1000);
    }
  }

  /** A limit that was raised: sums that need more bytes than the log has for them. */
  @Test
  void aLogOfASmallerLimitHoldsALeaseOfALargerOne() {
    Limit small = Limit.slidingLog(30_000).perMinute();
    Limit large = Limit.slidingLog(200_000).perMinute();
    try (ScriptedBuckets before =
            new ScriptedBuckets(redis, ScriptPlan.leased("test", "a", List.of(small)));
        ScriptedBuckets after =
            new ScriptedBuckets(redis, ScriptPlan.leased("test", "a", List.of(large)))) {
      before.take(T, 30_000);
      ChargeMarks chargeMarks = after.take(T + 10, 30_000, 1).marks(0);
      long at = (T + 20) * 1000;
      long[] leased = after.send(after.scriptPlan().lease(10_000, 1, 2, 2, 30_000_000, null, at));
      assertThat(leased[0]).isEqualTo(3);
      assertThat(after.peek(T + 21, 1).remaining()).isEqualTo(110_000);
      after.send(after.scriptPlan().settle(chargeMarks, 30_000, 20_000, (T + 22) * 1000));
      assertThat(after.peek(T + 60_500, 1).remaining()).as("but the lease").isEqualTo(180_000);
    }
  }

  private Map<String, Long> writes() {
    Map<String, Long> calls = new TreeMap<>();
    for (String write : List.of("set", "setrange", "append", "del", "unlink", "pexpire")) {
      calls.put(write, redis.calls(write));
    }
    return calls;
  }

  /** What is written and after how many milliseconds it is as good as new. */
  record Write(Limit limit, String verb, BiConsumer<ScriptedBuckets, Long> write, long fresh) {
    @Override
    public String toString() {
      return verb + ", " + limit;
    }
  }

  private static void settle(ScriptedBuckets bucket, long now, long cost, long actual) {
    ChargeMarks chargeMarks = bucket.take(now, cost, 1).marks(0);
    bucket.send(bucket.scriptPlan().settle(chargeMarks, cost, actual, now * 1000));
  }

  private static void refund(ScriptedBuckets bucket, long now) {
    bucket.take(now, 4);
    bucket.send(bucket.scriptPlan().refund(1, now * 1000));
  }

  private static Stream<Write> writes(
      Limit limit, long taken, long reserved, long forced, long givenBack) {
    BiConsumer<ScriptedBuckets, Long> reserve =
        (bucket, now) -> {
          bucket.take(now, 10);
          assertThat(bucket.reserve(now, 4, 10_000).granted()).isOne();
        };
    return Stream.of(
        new Write(limit, "take", (bucket, now) -> bucket.take(now, 4), taken),
        new Write(limit, "reserve", reserve, reserved),
        new Write(limit, "force", (bucket, now) -> settle(bucket, now, 4, 8), forced),
        new Write(limit, "give back", (bucket, now) -> settle(bucket, now, 4, 3), givenBack),
        new Write(limit, "refund", ScriptsTest::refund, givenBack),
        new Write(limit, "cancel", (bucket, now) -> settle(bucket, now, 4, 0), 0));
  }

  static Stream<Write> everyWrite() {
    return Stream.of(
            writes(Limit.tokenBucket(10).perSecond(), 400, 1400, 800, 300),
            writes(Limit.leakyBucket(10).perSecond().queue(9), 400, 1400, 800, 300),
            writes(Limit.fixedWindow(10).per(Duration.ofSeconds(1)), 1000, 2000, 1000, 1000),
            writes(Limit.slidingWindow(10).perSecond(), 2000, 3000, 2000, 2000),
            writes(Limit.slidingEpochs(10).perSecond(), 1000, 2000, 1000, 1000),
            writes(Limit.slidingLog(10).perSecond(), 1000, 2000, 1000, 1000))
        .flatMap(writes -> writes);
  }

  @ParameterizedTest
  @MethodSource("everyWrite")
  void aBucketLivesUntilItIsAsGoodAsNew(Write write) {
    try (ScriptedBuckets bucket = new ScriptedBuckets(redis, write.limit())) {
      long start = System.nanoTime();
      write.write().accept(bucket, T);
      long ttl = bucket.ttl();
      long elapsed = (System.nanoTime() - start) / 1_000_000 + 1;
      if (write.fresh() == 0) {
        assertThat(bucket.value()).isNull();
      } else {
        assertThat(ttl - ScriptedBuckets.LINGER).isBetween(write.fresh() - elapsed, write.fresh());
      }
    }
  }

  @Test
  void aFineBucketLivesUntilTheEndOfItsLastMillisecond() {
    Limit limit = Limit.tokenBucket(3000).perSecond().burst(3);
    try (ScriptedBuckets bucket = new ScriptedBuckets(redis, limit)) {
      long start = System.nanoTime();
      ScriptMessage take = bucket.scriptPlan().take(1, 1, T * 1000 + 900);
      bucket.send(take); // full again after 333 1/3 µs, in the second millisecond from now
      long ttl = bucket.ttl();
      long elapsed = (System.nanoTime() - start) / 1_000_000 + 1;
      assertThat(ttl - ScriptedBuckets.LINGER).isBetween(2 - elapsed, 2L);
    }
  }

  /**
   * Nodes that know different rules of a time zone do not agree when a window began. All the same
   * they count together, and a refusal has a wait.
   */
  @ParameterizedTest
  @ValueSource(longs = {-3_600_000, -1, 1, 3_600_000})
  void whatBeganInAWindowIsOfThatWindow(long later) {
    long hour = 3_600_000;
    long midnight = T - T % (24 * hour);
    try (ScriptedBuckets bucket = new ScriptedBuckets(redis, Limit.fixedWindow(10).perDay())) {
      byte[] value =
          ByteBuffer.allocate(11)
              .order(ByteOrder.LITTLE_ENDIAN)
              .put((byte) 16)
              .putInt((int) (midnight + later))
              .putShort((short) ((midnight + later) >> 32))
              .putInt(4)
              .array();
      bucket.value(value);
      long noon = midnight + 12 * hour;
      int granted = 0;
      for (int i = 0; i < 20; i++) {
        TakeReply takeReply = bucket.take(noon + i, 1, 1);
        assertThat(takeReply.decision(0).allowed()).isEqualTo(takeReply.granted() == 1);
        granted += takeReply.granted();
      }
      assertThat(granted).isEqualTo(later < 0 ? 10 : 6);
      assertThat(bucket.peek(noon + hour, 1).retryAfter()).contains(Duration.ofHours(11));
      assertThat(bucket.take(midnight + 24 * hour, 1).remaining()).isEqualTo(9);
    }
  }

  @Test
  void byTheServersTimeNothingLingers() {
    try (ScriptedBuckets bucket = new ScriptedBuckets(redis, Limit.tokenBucket(1).perMinute())) {
      long[] reply = bucket.send(bucket.scriptPlan().take(1, 1, -1));
      Decision decision = bucket.scriptPlan().outcome(1, reply).decision(0);
      assertThat(decision.allowed()).isTrue();
      assertThat(bucket.ttl()).isBetween(1L, 60_000L);
      long drift = decision.time().toEpochMilli() - System.currentTimeMillis();
      assertThat(Math.abs(drift)).isLessThan(60_000);
    }
  }

  @Test
  void probeWritesAndReturnsTheTime() {
    byte[][] key = {"test:probe".getBytes(StandardCharsets.US_ASCII)};
    try (RespSocket connection = redis.connect()) {
      ScriptMessage probe = new ScriptMessage(Script.of("probe"), new byte[0][]);
      long[] reply = ScriptPlanStore.send(connection, key, probe);
      assertThat(reply).hasSize(2);
      assertThat(reply[0]).isOne();
      assertThat(Math.abs(reply[1] / 1000 - System.currentTimeMillis())).isLessThan(60_000);
      assertThat((Long) connection.call("PTTL", "test:probe")).isLessThanOrEqualTo(1000);
    }
  }
}
