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

/** All threads check the same key. */
public class HotKey {
  /** Two limiters of one contender: one that always allows, one that never does. */
  @State(Scope.Benchmark)
  public static class Limiters {
    @Param("weir")
    public String contender;

    /** Not final: the compiler must not compute the hash of a constant in advance. */
    String key = "user-4711";

    KeyedLimiter always;
    KeyedLimiter never;

    @Setup
    public void open() {
      always = Tables.open(Contender.of(contender), CaseLimit.ALWAYS, 1);
      never = Tables.open(Contender.of(contender), CaseLimit.NEVER, 1);
    }
  }

  @Benchmark
  @Threads(1)
  public boolean allow1(Limiters limiters) {
    return limiters.always.tryAcquire(limiters.key);
  }

  @Benchmark
  @Threads(1)
  public boolean deny1(Limiters limiters) {
    return limiters.never.tryAcquire(limiters.key);
  }

  @Benchmark
  @Threads(2)
  public boolean allow2(Limiters limiters) {
    return limiters.always.tryAcquire(limiters.key);
  }

  @Benchmark
  @Threads(2)
  public boolean deny2(Limiters limiters) {
    return limiters.never.tryAcquire(limiters.key);
  }
}
