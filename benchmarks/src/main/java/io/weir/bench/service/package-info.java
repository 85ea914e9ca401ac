/**
 * {@code ./bench service}: Weir as a service compared with an empty service on the same stack and
 * with its peers.
 *
 * <p>The server has one core to itself, its clients another. Uses {@code server} for the
 * comparison, {@code load} for the load generator, {@code floor} for the empty services, {@code
 * program} and {@code report}. Used by the command.
 */
@NullMarked
package io.weir.bench.service;

import org.jspecify.annotations.NullMarked;
