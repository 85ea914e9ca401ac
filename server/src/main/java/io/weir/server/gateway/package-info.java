/**
 * The gateway
 *
 * <p>limits a request, then forwards it; and the echo API of the demonstration.:Calls http and the
 * decision path.
 */
@NullMarked
package io.weir.server.gateway;

import org.jspecify.annotations.NullMarked;
