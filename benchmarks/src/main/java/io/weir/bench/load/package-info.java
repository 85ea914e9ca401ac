/**
 * A load generator: one thread, a few connections, every response checked.
 *
 * <p>Runs in its own JVM, on its own core. It implements only as much of HTTP/1.1 and HTTP/2 as it
 * needs to repeat one request for different callers, so that it costs less than any server under
 * test. Uses {@code fork}; used by {@code server} and {@code service}.
 */
@NullMarked
package io.weir.bench.load;

import org.jspecify.annotations.NullMarked;
