/**
 * Rounds in which contenders are measured one after the other, in random order.
 *
 * <p>Uses {@code fork}, {@code cli} and {@code report}. Used by the suites that measure over a
 * network.
 */
@NullMarked
package io.weir.bench.rounds;

import org.jspecify.annotations.NullMarked;
