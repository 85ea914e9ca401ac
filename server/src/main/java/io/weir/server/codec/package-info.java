/**
 * Strict HTTP/1 decoding: Netty's decoders without the malformed input that they accept and other
 * programs refuse, and with the headers of Vert.x.
 *
 * <p>Used by {@code io.weir.server.connection} and {@code io.weir.server.gateway.http1}; uses no
 * package of Weir.
 */
@NullMarked
package io.weir.server.codec;

import org.jspecify.annotations.NullMarked;
