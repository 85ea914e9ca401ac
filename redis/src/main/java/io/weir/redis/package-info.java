/**
 * The store in Redis: one script call per decision, and the behaviour while Redis cannot be called.
 *
 * <p>Uses {@code io.weir} and {@code io.weir.algorithm}. Reached through {@link io.weir.Store}, or
 * built with {@link io.weir.redis.RedisStore}.
 */
@NullMarked
package io.weir.redis;

import org.jspecify.annotations.NullMarked;
