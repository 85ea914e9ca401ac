/**
 * Servers of the same stack as Weir that decide nothing: what is left for deciding is the
 * difference.
 *
 * <p>Each runs in a JVM of its own. Calls nothing of the project; started by {@code service}.
 */
@NullMarked
package io.weir.bench.service.floor;

import org.jspecify.annotations.NullMarked;
