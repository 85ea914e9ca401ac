/**
 * {@code ./bench gateway}: Weir's gateway compared with nginx and Spring Cloud Gateway.
 *
 * <p>The gateway has one core to itself; the load generator and the upstream server share another.
 * Uses {@code server} for the comparison, {@code limiting} for the library part, and {@code
 * program}, {@code rounds} and {@code report}. Used by the command.
 */
@NullMarked
package io.weir.bench.gateway;

import org.jspecify.annotations.NullMarked;
