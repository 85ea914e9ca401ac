/**
 * How many bytes a live key takes, everything included.
 *
 * <p>Uses the contenders. Used by the command.
 */
@NullMarked
package io.weir.bench.footprint;

import org.jspecify.annotations.NullMarked;
