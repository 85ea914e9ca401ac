/**
 * The gateway: limits a request, then forwards it; and the echo API of the demonstration.
 *
 * <p>Calls http, door, wire and the decision path. Knows no other front.
 */
@NullMarked
package io.weir.server.gateway;

import org.jspecify.annotations.NullMarked;
