/**
 * The compiled rules: which rules match a request, under which key and at what cost, and how their
 * limits are charged together.
 *
 * <p>Uses the model in {@code io.weir.rules}, {@code io.weir.rules.match} and the library. Used by
 * the front ends through {@code io.weir.rules}.
 */
@NullMarked
package io.weir.rules.engine;

import org.jspecify.annotations.NullMarked;
