/**
 * {@code ./bench redis}: Weir on Redis compared with its peers and with a bare script.
 *
 * <p>The server has one core to itself, its clients another. Uses {@code node} for the measuring
 * JVMs. Used by the command.
 */
@NullMarked
package io.weir.bench.redis;

import org.jspecify.annotations.NullMarked;
