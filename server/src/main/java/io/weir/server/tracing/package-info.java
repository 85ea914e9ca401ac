/**
 * Requests as they go through several programs, by the API of OpenTelemetry. Without an agent or
 * another one who listens, nothing of this room and of the API is loaded. Knows the decision path;
 * the server calls it.
 */
@NullMarked
package io.weir.server.tracing;

import org.jspecify.annotations.NullMarked;
