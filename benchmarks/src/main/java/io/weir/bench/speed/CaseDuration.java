package io.weir.bench.speed;

/**
 * How long one JVM spends on each case. Every case is warmed up twice: with all others, and alone.
 */
public record CaseDuration(int warmupMillis, int measureMillis, int iterations) {
  /** As long as an hour for everything permits. */
  public static final CaseDuration FULL = new CaseDuration(300, 300, 2);
}
