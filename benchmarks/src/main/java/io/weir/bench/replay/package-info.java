/**
 * How fast recorded traffic is replayed, compared with only reading it.
 *
 * <p>Uses the rules. Used by the command.
 */
@NullMarked
package io.weir.bench.replay;

import org.jspecify.annotations.NullMarked;
