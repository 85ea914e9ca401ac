/**
 * Programs that a run starts: found, pinned to cores, ended with us, and what they cost.
 *
 * <p>Calls nothing of the project. Called by the suites that measure over a network.
 */
@NullMarked
package io.weir.bench.program;

import org.jspecify.annotations.NullMarked;
