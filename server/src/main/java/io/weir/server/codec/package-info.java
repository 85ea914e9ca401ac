/**
 * Reads HTTP/1 from connections: Netty's decoders, with what they accept and other programs refuse
 * taken out, and the headers of Vert.x.
 *
 * <p>Is used by the rooms door and wire, and uses none.
 */
@NullMarked
package io.weir.server.codec;

import org.jspecify.annotations.NullMarked;
