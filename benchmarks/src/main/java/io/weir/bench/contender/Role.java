package io.weir.bench.contender;

/** The role of a contender in the comparison. */
public enum Role {
  /** The subject of the measurement. */
  WEIR,
  /** A competitor. */
  PEER,
  /** A lower bound that no limiter can beat. */
  FLOOR,
  /** The cost of the measurement itself. */
  OVERHEAD
}
