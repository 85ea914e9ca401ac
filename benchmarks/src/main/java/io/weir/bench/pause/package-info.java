/**
 * Whether anybody notices that the table grows: the time of every single check from empty to ten
 * million keys, and what else happened during the slow ones.
 *
 * <p>Calls the contenders. Called by the command.
 */
@NullMarked
package io.weir.bench.pause;

import org.jspecify.annotations.NullMarked;
