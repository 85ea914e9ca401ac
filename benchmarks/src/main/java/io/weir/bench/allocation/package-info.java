/**
 * How many bytes a check allocates.
 *
 * <p>Calls the contenders. Called by the command.
 */
@NullMarked
package io.weir.bench.allocation;

import org.jspecify.annotations.NullMarked;
