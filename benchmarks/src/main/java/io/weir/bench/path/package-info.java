/**
 * The whole path of a decision in one process: from a request to its response headers.
 *
 * <p>Uses {@code jmh}, {@code fork} and {@code report}.
 */
@NullMarked
package io.weir.bench.path;

import org.jspecify.annotations.NullMarked;
