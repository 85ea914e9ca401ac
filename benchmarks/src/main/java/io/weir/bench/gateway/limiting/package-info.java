/**
 * What limiting adds to a request of the gateway, as method calls: rules, decision, counters and
 * headers.
 *
 * <p>Uses the server's decision path, {@code jmh} and {@code report}. Used by {@code gateway}.
 */
@NullMarked
package io.weir.bench.gateway.limiting;

import org.jspecify.annotations.NullMarked;
