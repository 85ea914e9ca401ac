/**
 * Slow, obvious reference models: each algorithm as its definition reads, with exact rationals and
 * plain lists. What they say is true; what a store says must be equal.
 *
 * <p>Calls {@code io.weir} for the limits and nothing of its algorithms. Called by the suite.
 */
@NullMarked
package io.weir.tck.model;

import org.jspecify.annotations.NullMarked;
