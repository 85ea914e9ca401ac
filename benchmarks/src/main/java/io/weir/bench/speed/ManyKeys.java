package io.weir.bench.speed;

import io.weir.bench.contender.CaseLimit;
import io.weir.bench.contender.Contender;
import io.weir.bench.contender.KeyedLimiter;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;
import org.openjdk.jmh.infra.ThreadParams;

/** Two threads check many keys, each built anew as from a request. */
@Threads(2)
public class ManyKeys {
  /** A limiter that has seen every key once. */
  @State(Scope.Benchmark)
  public static class Table {
    @Param("weir")
    public String contender;

    @Param("1000000")
    public int keys;

    KeyedLimiter keyedLimiter;

    @Setup
    public void open() {
      keyedLimiter = Tables.open(Contender.of(contender), CaseLimit.MANY, keys);
    }
  }

  /** Every key with the same probability. */
  @State(Scope.Thread)
  public static class Uniform {
    private long state;
    private long keys;

    @Setup
    public void seed(Table table, ThreadParams thread) {
      state = thread.getThreadIndex() * 0xD1B54A32D192ED03L;
      keys = table.keys;
    }

    /** SplitMix64, scaled by a multiplication. */
    int next() {
      state += 0x9E3779B97F4A7C15L;
      long z = (state ^ (state >>> 30)) * 0xBF58476D1CE4E5B9L;
      z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
      return (int) ((z >>> 32) * keys >>> 32);
    }
  }

  /** The k-th most popular key with a probability in proportion to 1/k. */
  @State(Scope.Thread)
  public static class Zipf {
    private int[] draws;
    private int next;

    @Setup
    public void draw(Table table, ThreadParams thread) {
      draws = Tables.zipf(table.keys, thread.getThreadIndex());
    }

    int next() {
      return draws[next++ & draws.length - 1];
    }
  }

  @Benchmark
  public boolean uniform(Table table, Uniform traffic) {
    return table.keyedLimiter.tryAcquire("user-" + traffic.next());
  }

  @Benchmark
  public boolean zipf(Table table, Zipf traffic) {
    return table.keyedLimiter.tryAcquire("user-" + traffic.next());
  }
}
