/**
 * How many bytes a check allocates.
 *
 * <p>Uses the contenders. Used by the command.
 */
@NullMarked
package io.weir.bench.allocation;

import org.jspecify.annotations.NullMarked;
