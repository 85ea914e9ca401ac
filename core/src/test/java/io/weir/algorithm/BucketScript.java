package io.weir.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.LimitStatus;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs a table of operations on one bucket, with their times and expected results, at hostile clock
 * origins.
 *
 * <pre>
 *     at   | do            | result | left | grows | reset | state
 *     0    | take 3        | ok     | 0    | 3334  | 10000 | used
 *     3333 | take 1        | 1      | 0    | 1     | 6667  | used
 * </pre>
 *
 * <p>Times and waits are milliseconds since an origin that is a whole number of periods after the
 * epoch. A result is {@code ok}, the wait, or {@code never}; of a reservation the delay, or {@code
 * none}. The other columns are the state after the operation: the remaining permits, the time until
 * they grow, the time until the bucket is full, and whether it is {@code fresh} or {@code used}. A
 * dot is not checked. Charges can be named, {@code take 2 as a}, to be given back: {@code cancel
 * a}, {@code settle a 1}.
 */
final class BucketScript {
  private static final List<Long> ORIGINS =
      List.of(Long.MIN_VALUE, -1L, 0L, 1_790_000_000_000L, Long.MAX_VALUE);
  private static final List<Long> NANO_ORIGINS =
      List.of(-9_000_000_000_000_000_000L, -1L, 0L, 1_790_000_000_000_000_000L);

  private final Algorithm algorithm;
  private final Bucket bucket;
  private final Clock clock;
  private final Map<String, Charged> charges = new HashMap<>();

  private BucketScript(Algorithm algorithm, Clock clock) {
    this.algorithm = algorithm;
    this.bucket = new Bucket(algorithm.words());
    this.clock = clock;
  }

  /** Plays {@code table} with times that a caller gives in whole milliseconds. */
  static void play(Limit limit, String table) {
    for (long origin : ORIGINS) {
      long start = aligned(origin, 86_400_000);
      Algorithm algorithm = Algorithm.of(limit, new Timeline(start));
      new BucketScript(algorithm, at -> algorithm.atMillis(start + at.longValueExact())).run(table);
    }
  }

  /** Plays {@code table} with the times of a clock of nanoseconds. */
  static void playOnClock(Limit limit, String table) {
    for (long origin : NANO_ORIGINS) {
      long start = aligned(origin, 86_400_000_000_000L);
      Algorithm algorithm = Algorithm.of(limit, new Timeline(Math.floorDiv(start, 1_000_000)));
      new BucketScript(
              algorithm,
              at ->
                  algorithm.at(start + at.movePointRight(6).stripTrailingZeros().longValueExact()))
          .run(table);
    }
  }

  private static long aligned(long origin, long period) {
    return origin / period * period;
  }

  private void run(String table) {
    List<String> lines = table.strip().lines().toList();
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split("\\|", -1);
      for (int i = 0; i < cells.length; i++) {
        cells[i] = cells[i].strip();
      }
      try {
        step(cells);
      } catch (AssertionError e) {
        throw new AssertionError(algorithm + ", " + line.strip() + ": " + e.getMessage(), e);
      }
    }
  }

  private void step(String[] cells) {
    long now = clock.at(new BigDecimal(cells[0]));
    String[] words = cells[1].split(" +");
    mend(now);
    String result =
        switch (words[0]) {
          case "take" -> take(now, words);
          case "reserve" -> reserve(now, words);
          case "force" -> {
            algorithm.force(bucket, now, Long.parseLong(words[1]));
            yield ".";
          }
          case "refund" -> {
            algorithm.refund(bucket, now, Long.parseLong(words[1]));
            yield ".";
          }
          case "cancel" -> giveBack(now, words[1], 0);
          case "settle" -> giveBack(now, words[1], Long.parseLong(words[2]));
          case "look" -> ".";
          default -> throw new IllegalArgumentException("cannot " + cells[1]);
        };
    check("result", cells, 2, result);
    LimitStatus limitStatus = algorithm.status(bucket, now, 0, true);
    check("left", cells, 3, limitStatus.remaining());
    check("grows", cells, 4, limitStatus.growsAfter().map(this::ticks).orElse(0L));
    check("reset", cells, 5, ticks(limitStatus.resetAfter()));
    check("state", cells, 6, algorithm.isFresh(bucket, now) ? "fresh" : "used");
  }

  /** A word that lies too far ahead is distinguished from a spent one, so that it is mended. */
  private void mend(long now) {
    long before = bucket.word(0);
    algorithm.mend(bucket, now);
    if (algorithm.isOneWord() && bucket.word(0) != before) {
      assertThat(algorithm.take(before, now, 1)).isEqualTo(Algorithm.ASTRAY);
    }
  }

  private static void check(String what, String[] cells, int column, Object actual) {
    if (cells.length > column && !cells[column].equals(".") && !cells[column].isEmpty()) {
      assertThat(String.valueOf(actual)).as(what).isEqualTo(cells[column]);
    }
  }

  private long ticks(Duration wait) {
    return algorithm.ticks(wait.toNanos());
  }

  /** Takes as a store does; where a bucket is one word, both ways of taking must agree. */
  private String take(long now, String[] words) {
    long cost = Long.parseLong(words[1]);
    if (cost > algorithm.capacity()) {
      assertThat(algorithm.status(bucket, now, cost, false).neverFits()).isTrue();
      return "never";
    }
    long quick = algorithm.isOneWord() ? algorithm.take(bucket.word(0), now, cost) : 0;
    long wait = algorithm.waitFor(bucket, now, cost);
    if (wait > 0) {
      assertThat(quick).as("quick refusal").isEqualTo(algorithm.isOneWord() ? -1 : 0);
      assertThat(algorithm.status(bucket, now, cost, false).neverFits()).isFalse();
      assertThat(algorithm.waitFor(bucket, algorithm.later(now, wait - 1), cost)).isEqualTo(1);
      assertThat(algorithm.waitFor(bucket, algorithm.later(now, wait), cost)).isZero();
      return String.valueOf(wait);
    }
    long delay = algorithm.delay(bucket, now);
    algorithm.take(bucket, now, now, cost);
    if (algorithm.isOneWord()) {
      assertThat(quick).as("quick take").isEqualTo(bucket.word(0));
    }
    note(words, now, cost);
    return delay == 0 ? "ok" : "ok+" + delay;
  }

  private String reserve(long now, String[] words) {
    long cost = Long.parseLong(words[1]);
    long wait = algorithm.waitFor(bucket, now, cost);
    if (wait > algorithm.reach(now)) {
      return "none";
    }
    long at = algorithm.later(now, wait);
    long delay = algorithm.delay(bucket, at);
    algorithm.take(bucket, now, at, cost);
    note(words, at, cost);
    return String.valueOf(wait + delay);
  }

  private void note(String[] words, long at, long cost) {
    if (words.length == 4) {
      charges.put(words[3], new Charged(algorithm.mark(bucket, at, cost), cost));
    }
  }

  private String giveBack(long now, String name, long actualCost) {
    Charged charged = charges.get(name);
    algorithm.giveBack(bucket, now, charged.mark, charged.cost - actualCost);
    return ".";
  }

  private record Charged(Algorithm.Mark mark, long cost) {}

  private interface Clock {
    long at(BigDecimal at);
  }
}
