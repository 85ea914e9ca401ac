/**
 * What limiting adds to a request of the gateway, as calls: rules, decision, counters and headers.
 *
 * <p>Calls the server's decision path, {@code jmh} and {@code report}. Called by {@code gateway}.
 */
@NullMarked
package io.weir.bench.gateway.limiting;

import org.jspecify.annotations.NullMarked;
