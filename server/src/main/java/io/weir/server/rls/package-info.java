/**
 * The interface that Envoy asks
 *
 * <p>descriptors over gRPC, and the same as JSON.:Calls http and the decision path.
 */
@NullMarked
package io.weir.server.rls;

import org.jspecify.annotations.NullMarked;
