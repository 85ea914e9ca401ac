/**
 * JMH inside a measuring JVM, with the processor's time beside that of the clock.
 *
 * <p>Calls {@code fork}. Called by suites that measure single calls.
 */
@NullMarked
package io.weir.bench.jmh;

import org.jspecify.annotations.NullMarked;
