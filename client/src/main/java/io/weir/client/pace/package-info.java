/**
 * When a request may go: for each limit a pace, for each group of requests that share limits a gate
 * where they wait. Knows what quotas are and no HTTP. Called by the client.
 */
@NullMarked
package io.weir.client.pace;

import org.jspecify.annotations.NullMarked;
