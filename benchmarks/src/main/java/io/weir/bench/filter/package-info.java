/**
 * Weir's filter in a Spring Boot application, compared with a hand-written one.
 *
 * <p>Uses {@code server}, {@code rounds}, {@code program} and {@code report}. Used by the command.
 */
@NullMarked
package io.weir.bench.filter;

import org.jspecify.annotations.NullMarked;
