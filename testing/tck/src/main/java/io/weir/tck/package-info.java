/**
 * The suite that every store must pass: vectors, properties against the reference models, the
 * operations, bad input, and the concurrency audit.
 *
 * <p>Uses {@code io.weir} and the models. Used by the tests of each store, which extend {@link
 * io.weir.tck.StoreSuite}.
 */
@NullMarked
package io.weir.tck;

import org.jspecify.annotations.NullMarked;
