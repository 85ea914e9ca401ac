/**
 * Spring Cloud Gateway with its limiter, as its documentation sets it up: a peer of Weir's gateway.
 *
 * <p>Calls nothing of the project. Started by {@code ./bench gateway} as a JVM of its own.
 */
@NullMarked
package io.weir.bench.spring;

import org.jspecify.annotations.NullMarked;
