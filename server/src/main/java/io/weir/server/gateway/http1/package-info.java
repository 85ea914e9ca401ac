/**
 * An HTTP/1.1 client without TLS for upstream servers, made of Netty's codec and of the headers and
 * transport of Vert.x. For the other connections, which are those of Vert.x's client, {@link
 * io.weir.server.gateway.http1.ClientCodec} puts the same codec into place.
 *
 * <p>It only sends requests one after the other over kept-alive connections of one event loop, and
 * so costs a fraction of a general client. Uses {@code io.weir.server.codec}; used by {@code
 * io.weir.server.gateway}.
 */
@NullMarked
package io.weir.server.gateway.http1;

import org.jspecify.annotations.NullMarked;
