/**
 * A load generator: one thread, a few connections, every answer checked.
 *
 * <p>Runs in a JVM of its own, on a core of its own. Speaks just enough HTTP/1.1 and HTTP/2 to ask
 * the same thing again and again for different callers, so that it costs less than any server that
 * it asks. Calls {@code fork}; called by {@code contest}.
 */
@NullMarked
package io.weir.bench.load;

import org.jspecify.annotations.NullMarked;
