/**
 * Weir's filter in a Spring Boot application, compared with a hand-written one.
 *
 * <p>Uses {@code contest} and {@code race}. Used by the command.
 */
@NullMarked
package io.weir.bench.filter;

import org.jspecify.annotations.NullMarked;
