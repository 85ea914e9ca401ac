/**
 * The parts that all front ends share, opened and closed as one: rules, a store, the decision path,
 * and a thread for periodic work.
 *
 * <p>Uses the decision path. Used by code that starts front ends.
 */
@NullMarked
package io.weir.runtime;

import org.jspecify.annotations.NullMarked;
