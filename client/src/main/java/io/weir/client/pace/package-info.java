/**
 * Decides when a request may go: a pacer for each limit, a queue for each group of requests that
 * share limits. Uses {@code quota}; does not depend on HTTP. Used by {@code io.weir.client}.
 */
@NullMarked
package io.weir.client.pace;

import org.jspecify.annotations.NullMarked;
