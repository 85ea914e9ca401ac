/**
 * What it costs a decision to be counted and seen.
 *
 * <p>Calls {@code fork}, {@code jmh}, {@code report} and the server's decision path. Called by the
 * command.
 */
@NullMarked
package io.weir.bench.seeing;

import org.jspecify.annotations.NullMarked;
