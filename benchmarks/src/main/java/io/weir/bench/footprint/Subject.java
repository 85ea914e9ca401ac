package io.weir.bench.footprint;

import io.weir.Limit;
import io.weir.ManualTime;
import io.weir.TimeSource;
import io.weir.bench.contender.CaseLimit;
import io.weir.bench.contender.Contender;
import io.weir.bench.contender.DequeLogLimiter;
import io.weir.bench.contender.KeyedLimiter;
import io.weir.bench.contender.WeirLimiter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A limiter with keys to be measured.
 *
 * <p>Weir's clock is moved by hand, by less than a day in total, which is the period of all limits
 * here. So every key is still live when it is measured.
 */
enum Subject {
  TOKEN_BUCKET("Weir, token bucket", new Bytes(28, 40), Limit.tokenBucket(7).perDay().burst(1000)),
  LEAKY_BUCKET("Weir, leaky bucket", new Bytes(28, 40), Limit.leakyBucket(7).perDay().queue(1000)),
  FIXED_WINDOW("Weir, fixed window", new Bytes(28, 40), Limit.fixedWindow(1000).perDay()),
  SLIDING_WINDOW("Weir, sliding window", new Bytes(36, 48), Limit.slidingWindow(1000).perDay()),
  SLIDING_EPOCHS(
      "Weir, 15 sliding epochs",
      new Bytes(120, 120),
      Limit.slidingEpochs(1000).perDay().epochs(15)),
  SLIDING_LOG_1("Weir, sliding log, 1 entry", new Bytes(64, 64), Limit.slidingLog(100).perDay()),
  SLIDING_LOG_100(
      "Weir, sliding log, 100 entries",
      Optional.of(new Bytes(550, 550)),
      100,
      time -> new WeirLimiter(Limit.slidingLog(100).perDay(), time)),

  FLOOR(Contender.FLOOR),
  SYNCHRONIZED(Contender.SYNCHRONIZED),
  BUCKET4J(Contender.BUCKET4J),
  BUCKET4J_CAFFEINE(Contender.BUCKET4J_CAFFEINE),
  GUAVA(Contender.GUAVA),
  RESILIENCE4J(Contender.RESILIENCE4J),
  FAILSAFE(Contender.FAILSAFE),
  DEQUE_LOG_1(
      "map of deques (log), 1 entry",
      Optional.empty(),
      1,
      time -> new DequeLogLimiter(100, Duration.ofDays(1))),
  DEQUE_LOG_100(
      "map of deques (log), 100 entries",
      Optional.empty(),
      100,
      time -> new DequeLogLimiter(100, Duration.ofDays(1)));

  private static final int PEER_KEYS = 1_000_000;
  private static final int SIZES = 20;

  /** Short enough that 100 entries for each of 20 sizes are made within 17 hours. */
  private static final Duration BETWEEN_ENTRIES = Duration.ofSeconds(30);

  private final String label;
  private final Optional<Bytes> bar;
  private final int entries;
  private final Opener opener;

  /** The most bytes per key: on average over all sizes, and at the worst of them. */
  record Bytes(double mean, double worst) {}

  private interface Opener {
    KeyedLimiter open(TimeSource time);
  }

  Subject(String label, Bytes bar, Limit limit) {
    this(label, Optional.of(bar), 1, time -> new WeirLimiter(limit, time));
  }

  Subject(Contender peer) {
    this(peer.label(), Optional.empty(), 1, time -> peer.open(CaseLimit.MANY, PEER_KEYS));
  }

  Subject(String label, Optional<Bytes> bar, int entries, Opener opener) {
    this.label = label;
    this.bar = bar;
    this.entries = entries;
    this.opener = opener;
  }

  String label() {
    return label;
  }

  Optional<Bytes> bar() {
    return bar;
  }

  /** The numbers of keys at which it is measured, ascending. */
  List<Integer> sizes() {
    if (bar.isEmpty()) {
      return List.of(entries == 1 ? PEER_KEYS : PEER_KEYS / 4);
    }
    int smallest = entries == 1 ? 100_000 : 10_000;
    List<Integer> sizes = new ArrayList<>();
    for (int i = 0; i < SIZES; i++) {
      sizes.add((int) Math.round(smallest * Math.pow(100, i / (SIZES - 1.0))));
    }
    return sizes;
  }

  Filling open() {
    ManualTime time = TimeSource.manual().set(Instant.parse("2026-01-01T00:00:00Z"));
    return new Filling(opener.open(time), time);
  }

  /** A limiter that is being filled. */
  final class Filling {
    private final KeyedLimiter keyedLimiter;
    private final ManualTime time;
    private int keys;

    private Filling(KeyedLimiter keyedLimiter, ManualTime time) {
      this.keyedLimiter = keyedLimiter;
      this.time = time;
    }

    KeyedLimiter keyedLimiter() {
      return keyedLimiter;
    }

    void growTo(int size) {
      for (int entry = 0; entry < entries; entry++) {
        for (int i = keys; i < size; i++) {
          if (!keyedLimiter.tryAcquire("user-" + i)) {
            throw new IllegalStateException(label + " refused key " + i);
          }
        }
        if (entries > 1) {
          time.advance(BETWEEN_ENTRIES);
        }
      }
      keys = size;
    }
  }
}
