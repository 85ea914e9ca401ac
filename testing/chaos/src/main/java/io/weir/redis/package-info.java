/**
 * A seam of the Redis store: the false clocks of a node. Used by {@link io.weir.chaos}, and uses
 * the store's own package.
 */
@NullMarked
package io.weir.redis;

import org.jspecify.annotations.NullMarked;
