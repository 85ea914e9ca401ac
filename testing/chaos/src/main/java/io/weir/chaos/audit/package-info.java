/**
 * The auditor: checks the decisions that all clients received against the bounds of their limits.
 *
 * <p>Used by the schedules in {@code io.weir.chaos}.
 */
@NullMarked
package io.weir.chaos.audit;

import org.jspecify.annotations.NullMarked;
