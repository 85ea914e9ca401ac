/**
 * JMH inside a measuring JVM, with processor time beside wall-clock time.
 *
 * <p>Uses {@code fork}. Used by suites that measure single calls.
 */
@NullMarked
package io.weir.bench.jmh;

import org.jspecify.annotations.NullMarked;
