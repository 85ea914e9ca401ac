/**
 * Weir as a process: its settings, its one decision path, and the start and end of all fronts.
 *
 * <p>Calls the rooms of the fronts, rules and stores; is called by the command.
 */
@NullMarked
package io.weir.server;

import org.jspecify.annotations.NullMarked;
