/**
 * The gateway: decides whether a request is allowed, then forwards it.
 *
 * <p>Uses {@code io.weir.server.http}, {@code io.weir.server.connection}, {@code
 * io.weir.server.gateway.http1} and the decision path; does not depend on other front ends.
 */
@NullMarked
package io.weir.server.gateway;

import org.jspecify.annotations.NullMarked;
