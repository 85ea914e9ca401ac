/**
 * gRPC on the HTTP server: calls and their messages, in bounds, and the wire form of protocol
 * buffers. Calls http; is called by the rooms whose services it carries, and knows none of them.
 */
@NullMarked
package io.weir.server.grpc;

import org.jspecify.annotations.NullMarked;
