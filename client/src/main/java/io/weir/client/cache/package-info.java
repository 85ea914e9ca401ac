/**
 * Cached responses, by the rules of RFC 9111 for a private cache. Uses {@code quota} to read dates.
 * Used by {@code io.weir.client}.
 */
@NullMarked
package io.weir.client.cache;

import org.jspecify.annotations.NullMarked;
