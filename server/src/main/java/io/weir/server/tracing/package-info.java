/**
 * Distributed tracing of requests by the OpenTelemetry API. Unless an agent or an SDK is present,
 * nothing of this package or of the API is loaded. Uses the decision path; used by the server.
 */
@NullMarked
package io.weir.server.tracing;

import org.jspecify.annotations.NullMarked;
