/**
 * Each algorithm once, as pure functions over the few {@code long} words of a bucket.
 *
 * <p>Calls {@code io.weir} for the limits. Called by the stores that keep words.
 */
@NullMarked
package io.weir.algorithm;

import org.jspecify.annotations.NullMarked;
