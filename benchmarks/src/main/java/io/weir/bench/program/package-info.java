/**
 * Programs that a run starts: how they are found, pinned to cores and ended with this JVM, and what
 * they cost.
 *
 * <p>Uses nothing of the project. Used by the suites that measure over a network.
 */
@NullMarked
package io.weir.bench.program;

import org.jspecify.annotations.NullMarked;
