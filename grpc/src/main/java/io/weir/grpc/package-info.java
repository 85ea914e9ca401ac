/**
 * Limits the calls of a gRPC server.
 *
 * <p>Calls what the fronts inside applications share; is called by the server.
 */
@NullMarked
package io.weir.grpc;

import org.jspecify.annotations.NullMarked;
