package io.weir.bench.redis.node;

import java.util.concurrent.CompletionStage;

/**
 * A limiter in Redis, by whichever library.
 *
 * @param <A> what it answers; read by {@link #verdict} rather than mapped by another stage, which
 *     would cost the peers and us what no user pays
 */
interface RemoteLimiter<A> {
  /** Takes a permit of the i-th key. */
  CompletionStage<A> ask(int i);

  Verdict verdict(A answer);
}
