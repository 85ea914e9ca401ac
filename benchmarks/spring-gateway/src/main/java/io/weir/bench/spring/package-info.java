/**
 * Spring Cloud Gateway with its rate limiter, as its documentation sets it up: a peer of Weir's
 * gateway.
 *
 * <p>Uses none of Weir's code. Started by {@code ./bench gateway} in its own JVM.
 */
@NullMarked
package io.weir.bench.spring;

import org.jspecify.annotations.NullMarked;
