/**
 * The measuring JVM of the Redis benchmarks: one client library, driven in a closed or an open
 * loop.
 *
 * <p>Calls Weir and its peers. Started by {@code io.weir.bench.redis}, and told by it what to do.
 */
@NullMarked
package io.weir.bench.redis.node;

import org.jspecify.annotations.NullMarked;
