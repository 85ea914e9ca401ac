/**
 * Weir as a process: its settings, and the start and stop of all front ends.
 *
 * <p>Uses the packages of the front ends, and the node below them. Used by the command.
 */
@NullMarked
package io.weir.server;

import org.jspecify.annotations.NullMarked;
