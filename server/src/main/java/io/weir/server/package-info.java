/**
 * Weir as a process: its settings, and the start and stop of all front ends.
 *
 * <p>Uses the packages of the front ends, and the module {@code runtime}. Used by {@code cli}.
 */
@NullMarked
package io.weir.server;

import org.jspecify.annotations.NullMarked;
