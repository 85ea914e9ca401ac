/**
 * Servers that are asked over a network, one beside the other: how they are started, pinned, asked
 * and compared.
 *
 * <p>The server has one core to itself, whoever asks it another. Calls {@code load} for who asks,
 * {@code program}, {@code race} and {@code report}. Called by {@code service} and {@code gateway}.
 */
@NullMarked
package io.weir.bench.contest;

import org.jspecify.annotations.NullMarked;
