/**
 * How fast recorded traffic is replayed, beside how fast it is merely read.
 *
 * <p>Calls the rules. Called by the command.
 */
@NullMarked
package io.weir.bench.replay;

import org.jspecify.annotations.NullMarked;
