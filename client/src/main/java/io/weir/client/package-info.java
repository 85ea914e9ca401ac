/**
 * A client for HTTP that keeps to the limits of the servers it calls: the outside, and how one
 * request goes. Uses the rooms {@code quota}, {@code pace} and {@code cache}, which know nothing of
 * it.
 */
@NullMarked
package io.weir.client;

import org.jspecify.annotations.NullMarked;
