/**
 * Who may stay connected to a port, and for how long without asking anything; and who need not come
 * in to be answered.
 *
 * <p>Works on bytes, frames and the heads of HTTP/1. Is called by http, the gateway and the server,
 * and calls only the room codec.
 */
@NullMarked
package io.weir.server.door;

import org.jspecify.annotations.NullMarked;
