package io.weir.bench.redis.node;

/** The outcome of a check. */
enum Verdict {
  ALLOWED,
  REFUSED,
  /** Redis did not decide. */
  FAILED
}
