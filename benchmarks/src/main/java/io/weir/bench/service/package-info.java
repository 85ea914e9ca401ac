/**
 * {@code ./bench service}: Weir as a service beside an empty service of the same stack and beside
 * its peers.
 *
 * <p>The server has one core to itself, whoever asks it another. Calls {@code contest} and {@code
 * load} for who asks, {@code floor} for the empty services, {@code program} and {@code report}.
 * Called by the command.
 */
@NullMarked
package io.weir.bench.service;

import org.jspecify.annotations.NullMarked;
