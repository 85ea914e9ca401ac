/**
 * The store in Redis: one script call a decision, and what holds while Redis cannot be asked.
 *
 * <p>Calls {@code io.weir} and {@code io.weir.algorithm}. Reached through {@link io.weir.Store}, or
 * built with {@link io.weir.redis.RedisStore}.
 */
@NullMarked
package io.weir.redis;

import org.jspecify.annotations.NullMarked;
