package io.weir.redis;

import static io.weir.redis.ScriptsTest.ONE_OF_EACH;
import static io.weir.redis.ScriptsTest.T;
import static io.weir.redis.ScriptsTest.fill;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.rig.RedisProcess;
import io.weir.rig.RespSocket;
import io.weir.rig.SharedRedis;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The Lua files beside those of other releases, and of nodes with other limits. */
class ScriptsAmongOthersTest {
  private final RedisProcess redis = SharedRedis.empty();

  static Stream<Limit> oneOfEach() {
    return ONE_OF_EACH.stream();
  }

  @ParameterizedTest
  @MethodSource("oneOfEach")
  void anUnknownGenerationIsLeftAlone(Limit limit) {
    try (ScriptedBuckets bucket = new ScriptedBuckets(redis, limit)) {
      fill(bucket);
      for (int generation : new int[] {0, 2, 15}) {
        byte[] value = bucket.value();
        value[0] = (byte) (generation << 4 | value[0] & 15);
        bucket.value(value);
        for (ScriptMessage scriptMessage :
            List.of(
                bucket.scriptPlan().take(1, 1, T * 1000),
                bucket.scriptPlan().peek(1, T * 1000),
                bucket.scriptPlan().refund(1, T * 1000))) {
          assertThatThrownBy(() -> bucket.send(scriptMessage))
              .isInstanceOf(RespSocket.RedisError.class)
              .hasMessageStartingWith("WEIRFORMAT");
        }
        assertThat(bucket.value()).isEqualTo(value);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("oneOfEach")
  void aValueThatIsCutOffIsLeftAlone(Limit limit) {
    try (ScriptedBuckets bucket = new ScriptedBuckets(redis, limit)) {
      bucket.take(T, 1);
      byte[] value = bucket.value();
      for (int length = 1; length < value.length; length++) {
        byte[] stub = Arrays.copyOf(value, length);
        bucket.value(stub);
        assertThatThrownBy(() -> bucket.take(T, 1))
            .as("cut off after %s bytes", length)
            .isInstanceOf(RespSocket.RedisError.class)
            .hasMessageStartingWith("WEIRFORMAT");
        assertThat(bucket.value()).isEqualTo(stub);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("oneOfEach")
  void whatALaterReleaseAddsIsKept(Limit limit) {
    byte[] addition = "later".getBytes(StandardCharsets.US_ASCII);
    try (ScriptedBuckets bucket = new ScriptedBuckets(redis, limit)) {
      bucket.take(T, 1);
      byte[] value = bucket.value();
      boolean isLog = limit instanceof Limit.SlidingLog;
      int end = isLog ? value[1] : value.length; // a log has its addition after its header
      byte[] added = Arrays.copyOf(value, value.length + addition.length);
      System.arraycopy(addition, 0, added, end, addition.length);
      System.arraycopy(value, end, added, end + addition.length, value.length - end);
      if (isLog) {
        added[1] += (byte) addition.length;
      }
      bucket.value(added);

      assertThat(bucket.take(T, 1).remaining()).isEqualTo(limit.capacity() - 2);
      bucket.send(bucket.scriptPlan().refund(1, T * 1000));
      assertThat(bucket.peek(T, 1).remaining()).isEqualTo(limit.capacity() - 1);
      byte[] after = bucket.value();
      int start = isLog ? end : after.length - addition.length;
      assertThat(Arrays.copyOfRange(after, start, start + addition.length)).isEqualTo(addition);
    }
  }

  /** Nodes with an old and a new limit, in turns. A debt is time: 1000 ms are 10 or 20 permits. */
  @Test
  void nodesWithDifferentBucketsTakeTurns() {
    try (ScriptedBuckets small = new ScriptedBuckets(redis, Limit.tokenBucket(10).perSecond());
        ScriptedBuckets large = new ScriptedBuckets(redis, Limit.tokenBucket(20).perSecond())) {
      assertThat(small.take(T, 10).allowed()).isTrue();
      assertThat(large.take(T, 1).allowed()).isFalse();
      assertThat(large.take(T + 100, 2).remaining()).isZero();
      assertThat(small.take(T + 100, 1).allowed()).isFalse();
      assertThat(small.take(T + 200, 1).remaining()).isZero();
      assertThat(large.peek(T + 700, 1).remaining()).isEqualTo(10);
      assertThat(small.peek(T + 700, 1).remaining()).isEqualTo(5);
    }
  }

  @Test
  void refusalUnderASmallerLimitWritesNothing() {
    for (Limit limit : ONE_OF_EACH) {
      if (limit.capacity() > 1) {
        try (ScriptedBuckets large = new ScriptedBuckets(redis, limit);
            ScriptedBuckets small = new ScriptedBuckets(redis, resized(limit, 1))) {
          large.take(T, limit.capacity());
          byte[] before = large.value();
          Decision refused = small.take(T, 1);
          assertThat(refused.allowed()).as("%s", limit).isFalse();
          assertThat(refused.remaining()).as("%s", limit).isZero();
          assertThat(large.value()).as("%s", limit).isEqualTo(before);
        }
      }
    }
  }

  @Test
  void waitUnderASmallerBurstIsThatOfAllPermitsSpent() {
    try (ScriptedBuckets large =
            new ScriptedBuckets(redis, Limit.tokenBucket(10).perSecond().burst(100));
        ScriptedBuckets small =
            new ScriptedBuckets(redis, Limit.tokenBucket(10).perSecond().burst(5))) {
      large.take(T, 100);
      assertThat(small.take(T, 1).retryAfter()).contains(Duration.ofMillis(9600));
      assertThat(small.take(T + 9599, 1).allowed()).isFalse();
      assertThat(small.take(T + 9600, 1).allowed()).isTrue();
    }
  }

  /** 5 permits at 10 in 12 s are 6 s, in which the faster limit would have 20 come back. */
  @Test
  void refundUnderASlowerRateGivesBackNoMorePermitsUnderTheFaster() {
    try (ScriptedBuckets fast = new ScriptedBuckets(redis, perTwelveSeconds(40));
        ScriptedBuckets slow = new ScriptedBuckets(redis, perTwelveSeconds(10))) {
      fast.take(T, 40);
      slow.send(slow.scriptPlan().refund(5, T * 1000));
      assertThat(slow.ttl()).isGreaterThan(ScriptedBuckets.LINGER + 10_000);
      assertThat(fast.peek(T, 1).remaining()).isEqualTo(5);
      assertThat(slow.peek(T, 1).remaining()).isEqualTo(5);
      assertThat(fast.take(T + 6000, 25).remaining()).isZero();
    }
  }

  private static Limit perTwelveSeconds(long permits) {
    return Limit.tokenBucket(permits).per(Duration.ofSeconds(12)).burst(40);
  }

  @Test
  void permitsSpentBeyondASmallerCountStaySpent() {
    for (Limit like :
        List.of(
            Limit.fixedWindow(4).perHour(),
            Limit.slidingWindow(4).perHour(),
            Limit.slidingEpochs(4).perHour(),
            Limit.slidingLog(4).perHour())) {
      try (ScriptedBuckets small = new ScriptedBuckets(redis, like);
          ScriptedBuckets large = new ScriptedBuckets(redis, resized(like, 300_000))) {
        assertThat(small.take(T, 3).remaining()).as("%s", like).isEqualTo(1);
        assertThat(large.take(T, 3).remaining()).as("%s", like).isEqualTo(299_994);
        assertThat(small.take(T, 1).allowed()).as("%s", like).isFalse();
        assertThat(small.peek(T, 1).remaining()).as("%s", like).isZero();
        assertThat(large.take(T, 1).remaining()).as("%s", like).isEqualTo(299_993);
        assertThat(large.take(T, 299_993).remaining()).as("%s", like).isZero();
      }
    }
  }

  private static Limit resized(Limit limit, long permits) {
    if (limit instanceof Limit.TokenBucket bucket) {
      return new Limit.TokenBucket(bucket.permits(), bucket.period(), permits);
    } else if (limit instanceof Limit.LeakyBucket bucket) {
      return new Limit.LeakyBucket(bucket.permits(), bucket.period(), permits - 1);
    } else if (limit instanceof Limit.FixedWindow window) {
      return new Limit.FixedWindow(permits, window.span(), window.zone());
    } else if (limit instanceof Limit.SlidingWindow window) {
      return new Limit.SlidingWindow(permits, window.period());
    } else if (limit instanceof Limit.SlidingEpochs epochs) {
      return new Limit.SlidingEpochs(permits, epochs.period(), epochs.epochs(), false);
    }
    return new Limit.SlidingLog(permits, ((Limit.SlidingLog) limit).period(), false);
  }

  @Test
  void aLimitOfNothingLeavesWhatOthersCount() {
    for (Limit limit : ONE_OF_EACH) {
      try (ScriptedBuckets open = new ScriptedBuckets(redis, limit);
          ScriptedBuckets closed = new ScriptedBuckets(redis, closed(limit))) {
        open.take(T, 2);
        byte[] before = open.value();
        assertThat(closed.take(T, 1).allowed()).as("%s", limit).isFalse();
        closed.send(closed.scriptPlan().refund(1, T * 1000));
        assertThat(open.value()).as("%s", limit).isEqualTo(before);
      }
    }
  }

  private static Limit closed(Limit limit) {
    if (limit instanceof Limit.TokenBucket bucket) {
      return new Limit.TokenBucket(0, bucket.period(), 0);
    } else if (limit instanceof Limit.LeakyBucket bucket) {
      return new Limit.LeakyBucket(0, bucket.period(), 0);
    }
    return resized(limit, 0);
  }
}
