/**
 * Comparison of servers over a network: how they are started, pinned, loaded and compared.
 *
 * <p>The server has one core to itself, the load generator another. Uses {@code load} for the load
 * generator, {@code program}, {@code rounds} and {@code report}. Used by {@code service}, {@code
 * gateway} and {@code filter}.
 */
@NullMarked
package io.weir.bench.server;

import org.jspecify.annotations.NullMarked;
