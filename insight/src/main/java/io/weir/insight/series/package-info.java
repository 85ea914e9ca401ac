/**
 * Numbers over time: requests, outcomes, latencies and the state of the store, for charts and
 * tiles.
 *
 * <p>Used by {@code io.weir.insight} and by the admin port.
 */
@NullMarked
package io.weir.insight.series;

import org.jspecify.annotations.NullMarked;
