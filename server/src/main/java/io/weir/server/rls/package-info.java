/**
 * The interface that Envoy asks: descriptors over gRPC, and the same as JSON; with it the health
 * and the reflection of the port.
 *
 * <p>Calls grpc, http and the decision path.
 */
@NullMarked
package io.weir.server.rls;

import org.jspecify.annotations.NullMarked;
