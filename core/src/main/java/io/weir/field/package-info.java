/**
 * Structured Fields of HTTP (RFC 9651): one reader for the gateway and the client.
 *
 * <p>Uses the JDK alone. Used by {@code io.weir.server.gateway} and {@code io.weir.client.quota};
 * not part of the library's API.
 */
@NullMarked
package io.weir.field;

import org.jspecify.annotations.NullMarked;
