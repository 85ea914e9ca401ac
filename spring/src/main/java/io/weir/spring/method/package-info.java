/**
 * Limits on methods: the interceptor behind {@code @RateLimited}, its expressions and fallbacks.
 *
 * <p>Uses Spring AOP. Used by the auto-configuration.
 */
@NullMarked
package io.weir.spring.method;

import org.jspecify.annotations.NullMarked;
