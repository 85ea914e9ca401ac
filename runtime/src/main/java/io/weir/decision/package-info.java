/**
 * The decision path that all front ends share, its counters, and the source of its rules.
 *
 * <p>Uses {@code rules}. Used by front ends and by exporters of the counters. Has no network code.
 */
@NullMarked
package io.weir.decision;

import org.jspecify.annotations.NullMarked;
