/**
 * Comparison of servers over a network: how they are started, pinned, loaded and compared.
 *
 * <p>The server has one core to itself, the load generator another. Uses {@code load} for the load
 * generator, {@code program}, {@code race} and {@code report}. Used by {@code service} and {@code
 * gateway}.
 */
@NullMarked
package io.weir.bench.server;

import org.jspecify.annotations.NullMarked;
