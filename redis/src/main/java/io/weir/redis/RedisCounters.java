package io.weir.redis;

import io.weir.Decision;
import io.weir.Fallbacks;
import io.weir.OnFailure;
import io.weir.Origin;
import io.weir.Store;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The counters of a store; {@link RedisStatus} is a snapshot of them. Thread-safe. */
final class RedisCounters {
  private static final int SAMPLE_BITS = 6; // one call in 64

  private final LongAdder sent = new LongAdder();
  private final LongAdder answered = new LongAdder();
  private final LongAdder late = new LongAdder();
  private final LongAdder notSent = new LongAdder();
  private final LongAdder shed = new LongAdder();
  private final LongAdder coalesced = new LongAdder();
  private final LongAdder lost = new LongAdder();
  private final LongAdder[] failures = adders(RedisFailure.Kind.values().length);
  private final LongAdder[] decisions = adders(Origin.values().length);
  private final Map<String, LongAdder[]> fallbacks = new ConcurrentHashMap<>(); // by limiter
  private final ReplyLatencies replyLatencies = new ReplyLatencies();

  private static LongAdder[] adders(int n) {
    LongAdder[] adders = new LongAdder[n];
    for (int i = 0; i < n; i++) {
      adders[i] = new LongAdder();
    }
    return adders;
  }

  /** A call was sent. */
  void sent() {
    sent.increment();
  }

  /** A call was not sent, because its shard cannot be called. */
  void notSent() {
    notSent.increment();
  }

  /** A call was not sent, because there is no memory for more calls in flight. */
  void shed() {
    shed.increment();
  }

  /** The reply to a call sent at {@code sentNanos} arrived in time. */
  void replied(long sentNanos) {
    answered.increment();
    // The clock itself is the random source; its low bits may be constant, so they are mixed.
    if (sentNanos * 0x9E3779B97F4A7C15L >>> Long.SIZE - SAMPLE_BITS == 0) {
      long now = System.nanoTime();
      replyLatencies.add(now - sentNanos, now);
    }
  }

  /** A reply arrived after the deadline of its call. */
  void repliedLate() {
    late.increment();
  }

  /** A call that was sent has failed. */
  void failed(RedisFailure.Kind kind) {
    failures[kind.ordinal()].increment();
  }

  /** A decision was made. */
  void decided(Origin origin) {
    decisions[origin.ordinal()].increment();
  }

  /** A decision was made without Redis. */
  void decidedWithoutRedis(Store.LimiterSpec limiterSpec, Decision decision) {
    decided(decision.origin());
    String limiter = limiterSpec.name();
    LongAdder[] known = fallbacks.get(limiter);
    LongAdder[] counts =
        known == null ? fallbacks.computeIfAbsent(limiter, any -> adders(3)) : known;
    boolean isError =
        decision.origin() == Origin.FAILURE && limiterSpec.onFailure() == OnFailure.ERROR;
    counts[decision.allowed() ? 0 : isError ? 2 : 1].increment();
  }

  /** All decisions made without Redis, by limiter. */
  Fallbacks fallbacks() {
    long[] sums = new long[3];
    Map<String, Long> byLimiter = new HashMap<>();
    fallbacks.forEach(
        (limiter, counts) -> {
          long all = 0;
          for (int i = 0; i < sums.length; i++) {
            long count = counts[i].sum();
            sums[i] += count;
            all += count;
          }
          byLimiter.put(limiter, all);
        });
    return new Fallbacks(sums[0], sums[1], sums[2], 0, "limiter", byLimiter);
  }

  /** A correction could not be made, or a grant could not be sent. */
  void lost() {
    lost.increment();
  }

  /** {@code checks} shared a call that another check had to make anyway. */
  void coalesced(long checks) {
    coalesced.add(checks);
  }

  /** A snapshot of all counters, taken at about the same moment. */
  RedisStatus snapshot(List<RedisStatus.Shard> shards, int nodes) {
    Map<String, Long> byKind = new TreeMap<>();
    for (RedisFailure.Kind kind : RedisFailure.Kind.values()) {
      byKind.put(kind.name().toLowerCase(Locale.ROOT), failures[kind.ordinal()].sum());
    }
    Map<Origin, Long> byOrigin = new EnumMap<>(Origin.class);
    for (Origin origin : Origin.values()) {
      byOrigin.put(origin, decisions[origin.ordinal()].sum());
    }
    return new RedisStatus(
        sent.sum(),
        answered.sum(),
        late.sum(),
        notSent.sum(),
        shed.sum(),
        byKind,
        byOrigin,
        coalesced.sum(),
        lost.sum(),
        shards,
        nodes,
        replyLatencies.snapshot(System.nanoTime()));
  }
}
