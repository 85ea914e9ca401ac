/**
 * The algorithms as pure functions over the few {@code long} words of a bucket.
 *
 * <p>Uses {@code io.weir} for the limits. Used by the stores that keep words.
 */
@NullMarked
package io.weir.algorithm;

import org.jspecify.annotations.NullMarked;
