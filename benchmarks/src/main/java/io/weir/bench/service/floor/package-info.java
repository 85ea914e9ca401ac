/**
 * Servers on the same stack as Weir that decide nothing: the difference is the cost of deciding.
 *
 * <p>Each runs in its own JVM. Uses nothing of the project; started by {@code service}.
 */
@NullMarked
package io.weir.bench.service.floor;

import org.jspecify.annotations.NullMarked;
