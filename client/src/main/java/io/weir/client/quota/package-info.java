/**
 * Reads the rate limit headers of responses; treats them as untrusted. Uses {@code io.weir.field}.
 * Used by {@code io.weir.client}, {@code pace} and {@code cache}.
 */
@NullMarked
package io.weir.client.quota;

import org.jspecify.annotations.NullMarked;
