/**
 * An application of Spring Boot without limits, with a filter around Bucket4j as one writes it by
 * hand, or with Weir's starter.
 *
 * <p>Calls Weir's starter. Started by {@code ./bench spring} as a JVM of its own.
 */
@NullMarked
package io.weir.bench.filter.app;

import org.jspecify.annotations.NullMarked;
