/**
 * Envoy's rate limit service: descriptors over gRPC and as JSON, and the port's gRPC health checks
 * and reflection.
 *
 * <p>Uses grpc, http and the decision path.
 */
@NullMarked
package io.weir.server.rls;

import org.jspecify.annotations.NullMarked;
