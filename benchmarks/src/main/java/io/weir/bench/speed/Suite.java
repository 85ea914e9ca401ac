package io.weir.bench.speed;

/** The suites that share their rounds. */
public enum Suite {
  HOT,
  KEYS,
  ALGORITHMS
}
