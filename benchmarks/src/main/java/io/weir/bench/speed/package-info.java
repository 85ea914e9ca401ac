/**
 * How long a check takes: the JMH benchmarks, the JVM that runs them for one contender, and the
 * rounds in which the contenders take turns.
 *
 * <p>Uses the contenders. Used by the command.
 */
@NullMarked
package io.weir.bench.speed;

import org.jspecify.annotations.NullMarked;
