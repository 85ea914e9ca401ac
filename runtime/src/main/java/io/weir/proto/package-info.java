/**
 * Writes protocol buffers without generated code. Uses the JDK alone; used by the gRPC front ends,
 * and not part of the public API.
 */
@NullMarked
package io.weir.proto;

import org.jspecify.annotations.NullMarked;
