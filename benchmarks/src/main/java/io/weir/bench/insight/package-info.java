/**
 * What counting and insight cost a decision.
 *
 * <p>Uses {@code fork}, {@code jmh}, {@code report} and the server's decision path. Used by the
 * command.
 */
@NullMarked
package io.weir.bench.insight;

import org.jspecify.annotations.NullMarked;
