/**
 * Buffers between the threads that decide and the thread that aggregates: a ring of events for each
 * thread.
 *
 * <p>Used by {@code io.weir.insight}.
 */
@NullMarked
package io.weir.insight.event;

import org.jspecify.annotations.NullMarked;
