/**
 * Answers that are kept for the next who ask the same, by the rules of RFC 9111 for a private
 * cache. Reads dates as {@code quota} does, and knows no other room. Called by the client.
 */
@NullMarked
package io.weir.client.cache;

import org.jspecify.annotations.NullMarked;
