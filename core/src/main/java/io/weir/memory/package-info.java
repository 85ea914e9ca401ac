/**
 * The store in this process: tables of primitive arrays from a key's hash to its words.
 *
 * <p>Calls {@code io.weir} and {@code io.weir.algorithm}. Reached through {@link io.weir.Store}.
 */
@NullMarked
package io.weir.memory;

import org.jspecify.annotations.NullMarked;
