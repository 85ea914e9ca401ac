/**
 * {@code ./bench gateway}: Weir's gateway beside nginx and Spring Cloud Gateway.
 *
 * <p>The gateway has one core to itself; whoever asks it, and the server behind it, share another.
 * Calls {@code contest} and {@code load} for who asks, {@code limiting} for the library part, and
 * {@code program}, {@code race} and {@code report}. Called by the command.
 */
@NullMarked
package io.weir.bench.gateway;

import org.jspecify.annotations.NullMarked;
