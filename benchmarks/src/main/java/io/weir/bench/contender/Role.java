package io.weir.bench.contender;

/** What a contender is there for. */
public enum Role {
  /** What is measured. */
  WEIR,
  /** What it is measured against. */
  PEER,
  /** What nobody can be faster than. */
  FLOOR,
  /** What a measurement costs by itself. */
  OVERHEAD
}
