package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import java.math.BigInteger;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** An nth of any limit is a limit, and n of them are not more than the whole. */
class NodeShareProperties {
  private static final int CASES = 200_000;
  private static final long MAX_MILLIS = Limit.MAX_PERIOD.toMillis();

  private final long seed = new Random().nextLong();
  private final Random random = new Random(seed);

  /** Small, large and everything between, alike. */
  private long upTo(long max) {
    int bits = 1 + random.nextInt(Long.SIZE - Long.numberOfLeadingZeros(max));
    return 1 + Math.floorMod(random.nextLong() >>> Long.SIZE - bits, max);
  }

  private Limit limit() {
    while (true) {
      long permits = random.nextInt(50) == 0 ? 0 : upTo(Limit.MAX_PERMITS);
      Duration period = Duration.ofMillis(upTo(MAX_MILLIS));
      try {
        return switch (random.nextInt(6)) {
          case 0 ->
              new Limit.TokenBucket(permits, period, permits == 0 ? 0 : upTo(Limit.MAX_PERMITS));
          case 1 -> new Limit.LeakyBucket(permits, period, upTo(Limit.MAX_PERMITS) - 1);
          case 2 ->
              new Limit.FixedWindow(
                  permits,
                  random.nextBoolean() ? new Limit.Length(period) : Limit.Calendar.MONTH,
                  ZoneOffset.UTC);
          case 3 -> new Limit.SlidingWindow(permits, period);
          case 4 -> new Limit.SlidingEpochs(permits, period, 1, random.nextBoolean());
          default -> new Limit.SlidingLog(permits, period, random.nextBoolean());
        };
      } catch (IllegalArgumentException e) {
        // Not every pair of a rate and a burst can be.
      }
    }
  }

  private int nodes() {
    return random.nextBoolean() ? 1 + random.nextInt(20) : (int) upTo(1 << 20);
  }

  @Test
  void whatIsKeptHoldsOnePermitForEveryNode() {
    for (int i = 0; i < CASES; i++) {
      Limit limit = limit();
      int nodes = nodes();
      Limit kept = NodeShare.kept(limit, nodes);
      String what = kept + " of " + limit + " by " + nodes + ", seed " + seed;
      assertThat(kept.sharesBucketsWith(limit)).as(what).isTrue();
      if (limit.capacity() == 0 || limit.capacity() >= nodes) {
        assertThat(kept).as(what).isEqualTo(limit);
      } else {
        assertThat(kept.capacity()).as(what).isEqualTo(nodes);
        boolean slow = isRate(limit) && fillMillis(limit, nodes).compareTo(max()) > 0;
        if (isRate(limit) && !slow) {
          assertThat(kept.permits()).as(what).isEqualTo(limit.permits());
        }
      }
    }
  }

  @Test
  void reportedLimitIsAnNthRoundedDownButNotZero() {
    int exact = 0;
    for (int i = 0; i < CASES; i++) {
      Limit limit = limit();
      int nodes = nodes();
      Limit share = NodeShare.asLimit(limit, nodes);
      String what = share + " of " + limit + " by " + nodes + ", seed " + seed;
      assertThat(share.algorithm()).as(what).isEqualTo(limit.algorithm());
      if (limit.capacity() == 0) {
        assertThat(share).as(what).isEqualTo(limit);
        continue;
      }
      if (!isRate(limit)) {
        assertThat(share.capacity()).as(what).isEqualTo(Math.max(1, limit.capacity() / nodes));
        assertThat(share.sharesBucketsWith(limit)).as(what).isTrue();
        continue;
      }
      // share.permits / share.period <= limit.permits / limit.period / nodes
      BigInteger shareOfRate =
          product(share.permits(), millis(limit)).multiply(BigInteger.valueOf(nodes));
      BigInteger whole = product(limit.permits(), millis(share));
      boolean slowest = share.permits() == 1 && millis(share) == MAX_MILLIS;
      if (!slowest) {
        assertThat(shareOfRate).as(what).isLessThanOrEqualTo(whole);
        long min = Math.max(1, limit.capacity() / nodes);
        boolean fine = share.permits() > millis(share) * 1000;
        assertThat(share.capacity()).as(what).isLessThanOrEqualTo(fine ? min + 4 : min);
      }
      if (shareOfRate.equals(whole)) {
        exact++;
      }
    }
    assertThat(exact).as("seed %d", seed).isGreaterThan(CASES / 10);
  }

  private static boolean isRate(Limit limit) {
    return limit instanceof Limit.TokenBucket || limit instanceof Limit.LeakyBucket;
  }

  private static long millis(Limit limit) {
    return limit instanceof Limit.TokenBucket that
        ? that.period().toMillis()
        : ((Limit.LeakyBucket) limit).period().toMillis();
  }

  /** How long {@code capacity} takes to flow in, rounded up. */
  private static BigInteger fillMillis(Limit limit, long capacity) {
    BigInteger permits = BigInteger.valueOf(limit.permits());
    return product(capacity, millis(limit)).add(permits).subtract(BigInteger.ONE).divide(permits);
  }

  private static BigInteger max() {
    return BigInteger.valueOf(MAX_MILLIS);
  }

  private static BigInteger product(long a, long b) {
    return BigInteger.valueOf(a).multiply(BigInteger.valueOf(b));
  }
}
