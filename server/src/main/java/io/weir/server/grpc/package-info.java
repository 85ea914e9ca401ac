/**
 * gRPC on the HTTP server: bounded calls and messages, and the wire format of protocol buffers.
 * Uses http; used by the packages of the services, and uses none of them.
 */
@NullMarked
package io.weir.server.grpc;

import org.jspecify.annotations.NullMarked;
