/**
 * The live view of a node in a terminal: polls it once a second, and draws.
 *
 * <p>Used by the command.
 */
@NullMarked
package io.weir.cli.top;

import org.jspecify.annotations.NullMarked;
