/**
 * Accepts and limits connections, applies timeouts while a connection waits for a request, and
 * responds to some requests before dispatch.
 *
 * <p>Works on bytes, frames and HTTP/1 heads. Used by {@code io.weir.server.http}, {@code
 * io.weir.server.gateway} and the server; uses only {@code io.weir.server.codec}.
 */
@NullMarked
package io.weir.server.connection;

import org.jspecify.annotations.NullMarked;
