/**
 * Weir as a process: its settings, and the start and end of all fronts.
 *
 * <p>Calls the rooms of the fronts, and the node that they stand on; is called by the command.
 */
@NullMarked
package io.weir.server;

import org.jspecify.annotations.NullMarked;
