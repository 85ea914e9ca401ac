/**
 * The live view of a node in a terminal: asks it once a second, and draws.
 *
 * <p>Called by the command.
 */
@NullMarked
package io.weir.cli.top;

import org.jspecify.annotations.NullMarked;
