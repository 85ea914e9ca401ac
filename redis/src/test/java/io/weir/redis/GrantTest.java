package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One lease of a log that several spend, put back, and close at the same time. */
@Timeout(120)
class GrantTest {
  private static final int ROUNDS = 300;
  private static final int THREADS = 4;
  private static final int PERMITS = 2000;
  private static final long LEASE_MICROS = 30_000_000;
  private static final long PART = LEASE_MICROS * 1000 / LeaseUsage.PARTS;
  private static final ScriptPlan PLAN =
      ScriptPlan.leased("test", "grant", List.of(Limit.slidingLog(100_000).perMinute()));

  private static Grant grant(long sentNanos) {
    long now = ScriptsTest.T * 1000;
    long stamp = (now + LEASE_MICROS) / 1000;
    long[] reply = {PERMITS + 1, now, 90_000, 0, 60_000, 60_000, stamp, LEASE_MICROS};
    TakeReply takeReply = PLAN.leased(1, 1, PERMITS, reply);
    return new Grant(takeReply, 1, 1, sentNanos, sentNanos);
  }

  /** By the parts in which they were spent, and not put back. */
  private static long[] spend(Grant grant, AtomicLong clock, long start, int seed) {
    boolean isPutBack = seed / THREADS % 3 == 0;
    SplittableRandom random = new SplittableRandom(seed);
    long[] spent = new long[LeaseUsage.PARTS];
    while (true) {
      long nanos = clock.addAndGet(random.nextLong(PART / 140));
      if (grant.spend(1, nanos) == Grant.UNSPENT) {
        return spent;
      }
      int part = (int) ((nanos - start) / PART);
      boolean isUnwanted = isPutBack && random.nextInt(8) == 0;
      if (!isUnwanted || !grant.putBack(1)) {
        spent[part]++;
      }
    }
  }

  @Test
  void nothingCountsAsSpentBeforeItWas() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      int late = 0;
      for (int round = 0; round < ROUNDS; round++) {
        long start = Long.MAX_VALUE - 3 * PART;
        AtomicLong clock = new AtomicLong(start);
        Grant grant = grant(start);
        List<Future<long[]>> all = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          int seed = round * THREADS + i;
          all.add(threads.submit(() -> spend(grant, clock, start, seed)));
        }
        LeaseClosing early = round % 2 == 0 ? null : grant.end(clock::get);
        long[] really = new long[LeaseUsage.PARTS];
        for (Future<long[]> each : all) {
          long[] its = each.get();
          Arrays.setAll(really, i -> really[i] + its[i]);
        }
        LeaseClosing leaseClosing = early == null ? grant.end(clock::get) : early;
        assertThat(grant.end(clock::get)).as("once").isNull();
        assertThat(leaseClosing).isNotNull();
        long[] reported = leaseClosing.spent();
        assertThat(Arrays.stream(reported).sum()).isEqualTo(Arrays.stream(really).sum());
        long ofReported = 0;
        long ofReally = 0;
        for (int part = 0; part < reported.length; part++) {
          ofReported += reported[part];
          ofReally += really[part];
          assertThat(ofReported)
              .as("round %d, up to part %d", round, part)
              .isLessThanOrEqualTo(ofReally);
        }
        late += reported[LeaseUsage.PARTS - 1] > 0 ? 1 : 0;
      }
      assertThat(late).isBetween(1, ROUNDS);
    } finally {
      threads.shutdownNow();
    }
  }
}
