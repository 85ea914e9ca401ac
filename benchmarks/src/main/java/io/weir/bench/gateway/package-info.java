/**
 * {@code ./bench gateway}: Weir's gateway compared with nginx and Spring Cloud Gateway.
 *
 * <p>The gateway has one core to itself; the load generator and the server behind share another.
 * Uses {@code contest} and {@code load} for the load generator, {@code limiting} for the library
 * part, and {@code program}, {@code race} and {@code report}. Used by the command.
 */
@NullMarked
package io.weir.bench.gateway;

import org.jspecify.annotations.NullMarked;
