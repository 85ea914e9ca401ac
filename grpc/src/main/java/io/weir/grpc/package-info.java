/**
 * Limits the calls of a gRPC server.
 *
 * <p>Uses what all embedded front ends share; called by the gRPC server.
 */
@NullMarked
package io.weir.grpc;

import org.jspecify.annotations.NullMarked;
