/**
 * {@code ./bench redis}: Weir on Redis beside its peers and beside what a bare script reaches.
 *
 * <p>The server has one core to itself, whoever asks it another. Calls {@code node} for the
 * measuring JVMs. Called by the command.
 */
@NullMarked
package io.weir.bench.redis;

import org.jspecify.annotations.NullMarked;
