/**
 * Weir's filter in an application of Spring Boot, beside one that is written by hand.
 *
 * <p>Calls {@code contest} and {@code race}. Called by the command.
 */
@NullMarked
package io.weir.bench.filter;

import org.jspecify.annotations.NullMarked;
