/**
 * The in-memory store: tables of primitive arrays from a key's hash to its words.
 *
 * <p>Uses {@code io.weir} and {@code io.weir.algorithm}. Used through {@link io.weir.Store}.
 */
@NullMarked
package io.weir.memory;

import org.jspecify.annotations.NullMarked;
