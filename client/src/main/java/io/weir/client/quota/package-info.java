/**
 * Reads the rate limit headers of responses; treats them as untrusted. Uses no other package. Used
 * by {@code io.weir.client}, {@code pace} and {@code cache}.
 */
@NullMarked
package io.weir.client.quota;

import org.jspecify.annotations.NullMarked;
