/**
 * Slow, obvious reference models: each algorithm as its definition reads, with exact rationals and
 * plain lists. The decisions of a store must equal theirs.
 *
 * <p>Uses {@code io.weir} for the limits, but none of its algorithms. Used by the suite.
 */
@NullMarked
package io.weir.tck.model;

import org.jspecify.annotations.NullMarked;
