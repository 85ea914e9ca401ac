/**
 * HTTP parts shared by all front ends: listening, routing, tokens, peer addresses, limited bodies,
 * JSON parsing.
 *
 * <p>Uses {@code io.weir.server.connection} and {@code io.weir.rules}; used by the packages of the
 * front ends, and depends on none of them.
 */
@NullMarked
package io.weir.server.http;

import org.jspecify.annotations.NullMarked;
