/**
 * How many bytes a live key takes, everything counted.
 *
 * <p>Calls the contenders. Called by the command.
 */
@NullMarked
package io.weir.bench.footprint;

import org.jspecify.annotations.NullMarked;
