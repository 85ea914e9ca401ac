package io.weir.bench.redis.node;

/** What became of a check. */
enum Verdict {
  ALLOWED,
  REFUSED,
  /** Redis did not decide. */
  FAILED
}
