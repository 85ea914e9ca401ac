package io.weir.bench.redis.node;

import java.util.concurrent.CompletionStage;

/**
 * A limiter in Redis, with any library.
 *
 * @param <A> its reply; read by {@link #result} rather than mapped by another stage, since no user
 *     pays that cost
 */
interface RemoteLimiter<A> {
  /** Takes a permit of the i-th key. */
  CompletionStage<A> check(int i);

  CheckResult result(A reply);
}
