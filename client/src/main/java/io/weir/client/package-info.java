/**
 * An HTTP client that stays within the rate limits of the servers it calls: its API, and the path
 * of one request. Uses {@code quota}, {@code pace} and {@code cache}, which do not depend on it.
 */
@NullMarked
package io.weir.client;

import org.jspecify.annotations.NullMarked;
