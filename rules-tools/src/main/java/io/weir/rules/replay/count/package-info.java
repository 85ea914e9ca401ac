/**
 * Counts the outcomes of replayed requests: by rule, by key and over time.
 *
 * <p>Used by {@code io.weir.rules.replay}.
 */
@NullMarked
package io.weir.rules.replay.count;

import org.jspecify.annotations.NullMarked;
