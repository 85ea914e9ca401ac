/**
 * Whether growth of the table causes pauses: the time of every single check from empty to ten
 * million keys, and what else happened during the slow ones.
 *
 * <p>Uses the contenders. Used by the command.
 */
@NullMarked
package io.weir.bench.pause;

import org.jspecify.annotations.NullMarked;
