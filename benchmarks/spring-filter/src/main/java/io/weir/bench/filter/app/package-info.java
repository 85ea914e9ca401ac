/**
 * A Spring Boot application without limits, with a typical hand-written filter around Bucket4j, or
 * with Weir's starter.
 *
 * <p>Uses Weir's starter. Started by {@code ./bench spring} in its own JVM.
 */
@NullMarked
package io.weir.bench.filter.app;

import org.jspecify.annotations.NullMarked;
