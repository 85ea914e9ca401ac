package io.weir.bench.redis.node;

import java.util.concurrent.CompletionStage;

/**
 * A limiter in Redis, with any library.
 *
 * @param <A> its answer; read by {@link #verdict} rather than mapped by another stage, since no
 *     user pays that cost
 */
interface RemoteLimiter<A> {
  /** Takes a permit of the i-th key. */
  CompletionStage<A> ask(int i);

  CheckResult verdict(A answer);
}
