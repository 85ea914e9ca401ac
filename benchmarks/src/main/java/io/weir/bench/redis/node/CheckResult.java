package io.weir.bench.redis.node;

/** The outcome of a check. */
enum CheckResult {
  ALLOWED,
  REFUSED,
  /** Redis did not decide. */
  FAILED
}
