/**
 * Rules in the form of envoyproxy/ratelimit: descriptors, their tree, overrides and decisions.
 *
 * <p>Uses {@code io.weir.rules} and {@code io.weir.rules.engine}. Used by the rate limit service
 * and by {@code io.weir.rules.file}.
 */
@NullMarked
package io.weir.rules.envoy;

import org.jspecify.annotations.NullMarked;
