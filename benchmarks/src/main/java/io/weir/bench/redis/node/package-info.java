/**
 * The measuring JVM of the Redis benchmarks: one client library, driven in a closed or an open
 * loop.
 *
 * <p>Uses Weir and its peers. Started and controlled by {@code io.weir.bench.redis}.
 */
@NullMarked
package io.weir.bench.redis.node;

import org.jspecify.annotations.NullMarked;
